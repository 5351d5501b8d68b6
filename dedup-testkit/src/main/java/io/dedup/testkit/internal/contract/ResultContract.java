package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupScope;
import io.dedup.Fingerprint;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Results are stored and returned byte for byte. */
public abstract class ResultContract extends ContractGroup {
    static Stream<Arguments> results() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        byte[] large = new byte[100_000];
        new Random(42).nextBytes(large);
        return Stream.of(
                        Arguments.of("none", null),
                        Arguments.of("empty", new byte[0]),
                        Arguments.of("zero byte", new byte[] {0}),
                        Arguments.of("0xff", new byte[] {-1}),
                        Arguments.of("all bytes", all),
                        Arguments.of("100 kB", large),
                        Arguments.of("zeros", new byte[1_000]),
                        Arguments.of("digits", "12345".getBytes(StandardCharsets.US_ASCII)),
                        Arguments.of("a record", "D|1|2|3".getBytes(StandardCharsets.US_ASCII)),
                        Arguments.of("line ends", "\r\n$-1\r\n".getBytes(StandardCharsets.US_ASCII)))
                .flatMap(arguments -> Arrays.stream(CallForm.values())
                        .map(form -> Arguments.of(arguments.get()[0], arguments.get()[1], form)));
    }

    @ParameterizedTest(name = "{0}, {2}")
    @MethodSource("results")
    @DisplayName("a result is returned byte for byte")
    void replayed(String name, byte @Nullable [] result, CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.done(result, null);

        for (KeyUnderTest client : List.of(subject, subject.elsewhere())) {
            assertThat(client.claim())
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).as(name).isEqualTo(result));
            assertThat(client.found().result()).as(name).isEqualTo(result);
        }
    }

    @EachCallForm
    @DisplayName("a result doesn't outlive its window into the next run")
    void notInherited(CallForm form) {
        KeyUnderTest subject = subject(form);
        subject.done(new byte[] {1, 2, 3}, null);
        advance(KeyUnderTest.WINDOW_LENGTH);

        HeldClaim next = subject.acquire();
        assertThat(subject.found().result()).isNull();
        KeyUnderTest.assertApplied(subject.complete(next));

        assertThat(subject.claim())
                .isInstanceOfSatisfying(
                        ClaimResult.AlreadyDone.class,
                        done -> assertThat(done.result()).isNull());
    }

    @EachCallForm
    @DisplayName("a result of one byte is returned, whichever byte it is")
    void oneByte(CallForm form) {
        KeyUnderTest any = subject(form);
        for (int value = 0; value < 256; value++) {
            KeyUnderTest subject = subject(form, any.key().scope(), "byte-" + value);
            byte[] result = {(byte) value};
            subject.done(result, null);

            assertThat(subject.claim())
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).isEqualTo(result));
        }
    }

    @Test
    @DisplayName("each record of a batch keeps its own result, or none")
    void eachOfABatch() {
        KeyUnderTest any = subject(CallForm.AMONG_OTHERS);
        List<ClaimRequest> claims = new ArrayList<>();
        List<CompleteRequest> completions = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            ClaimRequest claim = new ClaimRequest(
                    any.key().scope().key("id-" + i * 7 % 40), UniqueNames.owner(), KeyUnderTest.LEASE);
            claims.add(claim);
            completions.add(new CompleteRequest(
                    new Claim(claim.key(), claim.owner(), 1), KeyUnderTest.WINDOW, resultOf(i), false));
        }
        assertThat(store().claim(claims))
                .allSatisfy(answer -> assertThat(answer).isInstanceOf(ClaimResult.Acquired.class));
        assertThat(store().complete(completions)).containsOnly(WriteResult.applied());

        List<ClaimResult> again = fixture().secondInstance().claim(claims);

        for (int i = 0; i < again.size(); i++) {
            byte @Nullable [] expected = resultOf(i);
            assertThat(again.get(i))
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).isEqualTo(expected));
            assertThat(store().find(claims.get(i).key()).orElseThrow().result()).isEqualTo(expected);
        }
    }

    @ParameterizedTest(name = "a window without end: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("each record of a batch of one owner keeps its own result, in whichever attempt and with or without a"
            + " fingerprint; a record of nobody keeps none")
    void eachOfOneOwner(boolean forever) {
        DedupScope scope = subject(CallForm.ALONE).key().scope();
        Owner owner = UniqueNames.owner();
        List<ClaimRequest> claims = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            Fingerprint fingerprint = i % 3 == 1 ? Fingerprint.ofPayload(new byte[] {(byte) i}) : null;
            claims.add(new ClaimRequest(scope.key("id-" + i * 7 % 40), owner, KeyUnderTest.LEASE, fingerprint, true));
        }
        assertThat(store().claim(claims)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        List<ClaimRequest> again = everyFourth(claims, 2);
        release(again);
        assertThat(store().claim(again)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        release(everyFourth(claims, 3));

        List<CompleteRequest> completions = new ArrayList<>();
        for (int i = 0; i < claims.size(); i++) {
            completions.add(new CompleteRequest(
                    new Claim(claims.get(i).key(), owner, i % 4 == 2 ? 2 : 1),
                    forever ? Window.forever() : KeyUnderTest.WINDOW,
                    new byte[] {-1, (byte) i},
                    false));
        }
        List<WriteResult> answers = store().complete(completions);

        for (int i = 0; i < claims.size(); i++) {
            byte[] result = {-1, (byte) i};
            StoredRecord found = store().find(claims.get(i).key()).orElseThrow();
            if (i % 4 == 3) {
                KeyUnderTest.assertLeaseLost(answers.get(i));
                assertThat(found.state()).isNotEqualTo(StoredRecord.State.DONE);
                continue;
            }
            int attempt = i % 4 == 2 ? 2 : 1;
            KeyUnderTest.assertApplied(answers.get(i));
            assertThat(found.result()).isEqualTo(result);
            assertThat(found.fingerprint()).isEqualTo(claims.get(i).fingerprint());
            assertThat(found.attempt()).isEqualTo(attempt);
            assertThat(store().claim(List.of(claims.get(i))).get(0))
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).isEqualTo(result));
        }
    }

    private static List<ClaimRequest> everyFourth(List<ClaimRequest> claims, int from) {
        List<ClaimRequest> some = new ArrayList<>();
        for (int i = from; i < claims.size(); i += 4) {
            some.add(claims.get(i));
        }
        return some;
    }

    private void release(List<ClaimRequest> claims) {
        assertThat(store().release(claims.stream()
                        .map(each -> new ReleaseRequest(new Claim(each.key(), each.owner(), 1), ReleaseMode.STARTED))
                        .toList()))
                .containsOnly(WriteResult.applied());
    }

    private static byte @Nullable [] resultOf(int i) {
        if (i % 3 == 0) {
            return null;
        }
        byte[] result = new byte[i % 3 == 1 ? i : 5_000];
        Arrays.fill(result, (byte) i);
        return result;
    }
}
