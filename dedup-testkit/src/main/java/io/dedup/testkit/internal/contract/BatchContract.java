package io.dedup.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Properties of batches: their order, their size, and that requests of one batch don't affect each other. */
public abstract class BatchContract extends ContractGroup {
    /** More than two pieces of the usual 500, and not a round number. */
    private static final int LARGE = 1_201;

    @Test
    @DisplayName("an empty batch has an empty answer")
    void empty() {
        assertThat(store().claim(List.of())).isEmpty();
        assertThat(store().complete(List.of())).isEmpty();
        assertThat(store().release(List.of())).isEmpty();
        assertThat(store().renew(List.of())).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 499, 500, 501, 1_000, LARGE})
    @DisplayName("batches of every size are claimed and completed")
    void sizes(int size) {
        List<ClaimRequest> requests = requests(size);
        List<Claim> claims = requests.stream()
                .map(request -> new Claim(request.key(), request.owner(), 1))
                .toList();

        assertThat(store().claim(requests))
                .hasSize(size)
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimResult.Acquired.class,
                                acquired -> assertThat(acquired.attempt()).isEqualTo(1)));
        assertAllApplied(size, store().renew(map(claims, claim -> new RenewRequest(claim, KeyUnderTest.LEASE))));
        assertThat(store().claim(requests))
                .as("repeated by the same owners")
                .hasSize(size)
                .hasOnlyElementsOfType(ClaimResult.Acquired.class);
        assertAllApplied(size, store().release(map(claims, claim -> new ReleaseRequest(claim, ReleaseMode.STARTED))));
        assertThat(store().claim(requests))
                .hasSize(size)
                .allSatisfy(answer -> assertThat(answer)
                        .isInstanceOfSatisfying(
                                ClaimResult.Acquired.class,
                                acquired -> assertThat(acquired.attempt()).isEqualTo(2)));
        assertAllApplied(
                size,
                store().complete(map(claims, claim -> new CompleteRequest(claim, KeyUnderTest.WINDOW, null, false))));
        assertThat(fixture().secondInstance().claim(requests))
                .hasSize(size)
                .hasOnlyElementsOfType(ClaimResult.AlreadyDone.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName(
            "answers come in the order of the requests, however the keys sort and whether they have one owner or many")
    void order(boolean oneOwner) {
        List<ClaimRequest> requests = oneOwner ? withOneOwner(requests(LARGE)) : requests(LARGE);
        prepare(requests);

        List<ClaimResult> answers = store().claim(requests);

        assertThat(answers).hasSize(LARGE);
        for (int i = 0; i < LARGE; i++) {
            int index = i;
            ClaimResult answer = answers.get(i);
            switch (i % 4) {
                case 0 -> assertAttempt(answer, 1);
                case 1 ->
                    assertThat(answer)
                            .isInstanceOfSatisfying(
                                    ClaimResult.InFlight.class,
                                    inFlight -> assertRemaining(inFlight.remaining(), Duration.ofMinutes(index)));
                case 2 ->
                    assertThat(answer)
                            .isInstanceOfSatisfying(
                                    ClaimResult.AlreadyDone.class,
                                    done -> assertThat(done.result()).isEqualTo(bytes(index)));
                default -> assertAttempt(answer, 2);
            }
        }
        assertWritesInOrder(requests);
    }

    /** Every record except each fourth gets its own state, distinguished by results, attempts and leases. */
    private void prepare(List<ClaimRequest> requests) {
        List<ClaimRequest> claimed = new ArrayList<>();
        List<CompleteRequest> done = new ArrayList<>();
        List<ReleaseRequest> released = new ArrayList<>();
        for (int i = 0; i < LARGE; i++) {
            Claim claim = new Claim(requests.get(i).key(), UniqueNames.owner(), 1);
            Duration lease = i % 4 == 1 ? Duration.ofMinutes(i) : KeyUnderTest.LEASE;
            if (i % 4 != 0) {
                claimed.add(new ClaimRequest(claim.key(), claim.owner(), lease));
            }
            if (i % 4 == 2) {
                done.add(new CompleteRequest(claim, Window.forever(), bytes(i), false));
            } else if (i % 4 == 3) {
                released.add(new ReleaseRequest(claim, ReleaseMode.STARTED));
            }
        }
        assertThat(store().claim(claimed)).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        assertAllApplied(done.size(), store().complete(done));
        assertAllApplied(released.size(), store().release(released));
    }

    /** Of the records above, those of index 0 and 3 modulo 4 are owned by the requests' owners now. */
    private void assertWritesInOrder(List<ClaimRequest> requests) {
        List<Claim> claims = requests.stream()
                .map(request -> new Claim(request.key(), request.owner(), 1))
                .toList();
        List<WriteResult> expected = IntStream.range(0, LARGE)
                .mapToObj(i -> i % 4 == 0 || i % 4 == 3 ? WriteResult.applied() : WriteResult.leaseLost())
                .toList();

        assertThat(store().renew(map(claims, claim -> new RenewRequest(claim, KeyUnderTest.LEASE))))
                .isEqualTo(expected);
        List<Claim> some = claims.subList(0, 600);
        assertThat(store().release(map(some, claim -> new ReleaseRequest(claim, ReleaseMode.STARTED))))
                .isEqualTo(expected.subList(0, 600));
        List<Claim> others = claims.subList(600, LARGE);
        assertThat(store().complete(map(others, claim -> new CompleteRequest(claim, KeyUnderTest.WINDOW, null, false))))
                .isEqualTo(expected.subList(600, LARGE));
    }

    @Test
    @DisplayName("each request of a batch keeps its own lease, fingerprint, mode, window and result")
    void requestsAreTheirOwn() {
        KeyUnderTest one = subject(CallForm.ALONE);
        KeyUnderTest two = subject(CallForm.ALONE);
        KeyUnderTest three = subject(CallForm.ALONE);
        ClaimRequest first = new ClaimRequest(one.key(), UniqueNames.owner(), Duration.ofMinutes(10), RED, true);
        ClaimRequest second = new ClaimRequest(two.key(), UniqueNames.owner(), Duration.ofHours(10), null, true);
        ClaimRequest third = new ClaimRequest(three.key(), UniqueNames.owner(), Duration.ofDays(10), BLUE, false);
        assertThat(store().claim(List.of(first, second, third))).hasOnlyElementsOfType(ClaimResult.Acquired.class);
        assertHeld(one, first);
        assertHeld(two, second);
        assertHeld(three, third);

        assertThat(store().renew(List.of(
                        new RenewRequest(claim(third), Duration.ofMinutes(20)),
                        new RenewRequest(claim(first), Duration.ofHours(20)))))
                .containsOnly(WriteResult.applied());
        assertRemaining(one.found().leaseRemaining(), Duration.ofHours(20));
        assertRemaining(two.found().leaseRemaining(), Duration.ofHours(10));
        assertRemaining(three.found().leaseRemaining(), Duration.ofMinutes(20));

        assertThat(store().release(List.of(
                        new ReleaseRequest(claim(second), ReleaseMode.STARTED),
                        new ReleaseRequest(claim(first), ReleaseMode.NOT_STARTED))))
                .containsOnly(WriteResult.applied());
        assertThat(two.acquire(second).attempt()).isEqualTo(2);
        assertThat(one.acquire(first).attempt()).isEqualTo(1);

        assertThat(store().complete(List.of(
                        new CompleteRequest(claim(second), Window.forever(), bytes(2), false),
                        new CompleteRequest(claim(first), KeyUnderTest.WINDOW, null, true),
                        new CompleteRequest(claim(third), Window.of(Duration.ofMinutes(5)), bytes(3), false))))
                .containsOnly(WriteResult.applied());
        assertThat(one.found().result()).isNull();
        assertThat(two.found().result()).isEqualTo(bytes(2));
        assertThat(two.found().expiresAt()).isNull();
        assertThat(three.found().result()).isEqualTo(bytes(3));
        advance(Duration.ofMinutes(5));
        assertThat(three.find()).isEmpty();
        assertThat(one.found().state()).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("a batch may span scopes; similar keys aren't copies of each other")
    void lookAlikes() {
        List<DedupKey> keys = new ArrayList<>();
        String topic = newScope().topic();
        for (DedupScope scope : List.of(
                DedupScope.of("c", topic),
                DedupScope.of("C", topic),
                DedupScope.deadLetter("c", topic),
                DedupScope.of("c", topic).shadow(),
                DedupScope.of("c", topic + " "))) {
            for (String id : List.of("a", "A", "a ", " a", "a\u0000", "\u00e4", "a\u0308")) {
                keys.add(scope.key(id));
            }
        }
        Collections.shuffle(keys, new Random(7));
        List<ClaimRequest> requests = map(keys, key -> new ClaimRequest(key, UniqueNames.owner(), KeyUnderTest.LEASE));

        assertThat(store().claim(requests)).hasSize(keys.size()).allSatisfy(answer -> assertAttempt(answer, 1));

        for (ClaimRequest request : requests) {
            StoredRecord record = store().find(request.key()).orElseThrow();
            assertThat(record.owner()).isEqualTo(request.owner());
        }
    }

    private void assertHeld(KeyUnderTest subject, ClaimRequest request) {
        StoredRecord record = subject.found();
        assertThat(record.owner()).isEqualTo(request.owner());
        assertThat(record.fingerprint()).isEqualTo(request.fingerprint());
        assertRemaining(record.leaseRemaining(), request.lease());
    }

    private static Claim claim(ClaimRequest request) {
        return new Claim(request.key(), request.owner(), 1);
    }

    private static void assertAttempt(ClaimResult answer, int attempt) {
        assertThat(answer)
                .isInstanceOfSatisfying(
                        ClaimResult.Acquired.class,
                        acquired -> assertThat(acquired.attempt()).isEqualTo(attempt));
    }

    private static void assertAllApplied(int size, List<WriteResult> answers) {
        assertThat(answers).hasSize(size).containsOnly(WriteResult.applied());
    }

    private static byte[] bytes(int i) {
        return new byte[] {(byte) (i >> 8), (byte) i};
    }

    /** For new keys of one scope, not in the order in which any store would sort them. */
    private static List<ClaimRequest> requests(int size) {
        DedupScope scope = newScope();
        List<ClaimRequest> requests = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            requests.add(new ClaimRequest(scope.key("id-" + i), UniqueNames.owner(), KeyUnderTest.LEASE));
        }
        Collections.shuffle(requests, new Random(size));
        return requests;
    }

    /** As the engine claims a batch: its claims are given back and completed by key and owner. */
    private static List<ClaimRequest> withOneOwner(List<ClaimRequest> requests) {
        Owner owner = UniqueNames.owner();
        return map(requests, request -> new ClaimRequest(request.key(), owner, request.lease()));
    }

    private static <T, R> List<R> map(List<T> values, Function<T, R> function) {
        return values.stream().map(function).toList();
    }
}
