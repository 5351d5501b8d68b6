package io.dedup.testkit.internal.contract;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.StepRecords;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.WriteResult;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult.Decision;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.testkit.internal.scenario.CallForm;
import io.dedup.testkit.internal.scenario.ContractGroup;
import io.dedup.testkit.internal.scenario.EachCallForm;
import io.dedup.testkit.internal.scenario.EachSituation;
import io.dedup.testkit.internal.scenario.HeldClaim;
import io.dedup.testkit.internal.scenario.KeyUnderTest;
import io.dedup.testkit.internal.scenario.RacingThreads;
import io.dedup.testkit.internal.scenario.Situation;
import io.dedup.testkit.internal.scenario.UniqueNames;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What a record keeps of its handler's steps while it is unfinished. */
public abstract class StepContract extends ContractGroup {
    private static final byte[] ONE = {1, 0, -1, ','};
    private static final byte[] TWO = {';', ',', 0};

    @Test
    @DisplayName("a store that cannot keep steps says so")
    void unsupported() {
        if (fixture().keepsSteps()) {
            assertThat(store()).isInstanceOf(StepRecords.class);
        } else {
            assertThat(store()).isNotInstanceOf(StepRecords.class);
            assertThatThrownBy(() -> StepRecords.of(store())).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    static Stream<Arguments> entries() {
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        byte[] large = new byte[100_000];
        new Random(42).nextBytes(large);
        return Stream.of(
                        Arguments.of("one byte", new byte[] {0}),
                        Arguments.of("all bytes", all),
                        Arguments.of("100 kB", large),
                        Arguments.of("digits", "12345".getBytes(StandardCharsets.US_ASCII)),
                        Arguments.of("commas", ",,,".getBytes(StandardCharsets.US_ASCII)),
                        Arguments.of("semicolons", ";;;".getBytes(StandardCharsets.US_ASCII)),
                        Arguments.of("a record", "Pme!,1,0,5,;x;".getBytes(StandardCharsets.US_ASCII)),
                        Arguments.of("line ends", "\r\n$-1\r\n".getBytes(StandardCharsets.US_ASCII)))
                .flatMap(arguments -> Stream.of(CallForm.values())
                        .map(form -> Arguments.of(arguments.get()[0], arguments.get()[1], form)));
    }

    @ParameterizedTest(name = "{0}, {2}")
    @MethodSource("entries")
    @DisplayName("the next claim and find return what was kept, byte for byte and in its order")
    void returned(String name, byte[] entry, CallForm form) {
        KeyUnderTest subject = steps(form);
        HeldClaim first = subject.acquire(RED);
        assertThat(first.answer().steps()).isNull();
        keep(subject, first, entry);
        keep(subject, first, ONE);
        keep(subject, first, entry);
        byte[] expected = joined(entry, ONE, entry);
        assertThat(subject.elsewhere().found().steps()).as(name).isEqualTo(expected);
        assertThat(subject.found().result()).as("result").isNull();
        KeyUnderTest.assertApplied(subject.release(first, ReleaseMode.STARTED));

        HeldClaim second = subject.elsewhere().acquire(RED);

        assertThat(second.answer().steps()).as(name).isEqualTo(expected);
        assertThat(second.attempt()).isEqualTo(2);
        keep(subject.elsewhere(), second, TWO);
        assertThat(subject.found().steps()).as(name).isEqualTo(joined(expected, TWO));
    }

    @EachSituation
    @DisplayName("only the owner of an unfinished record keeps something, also after its lease has expired")
    void everySituation(Situation situation, CallForm form) {
        KeyUnderTest subject = steps(form);
        HeldClaim last = situation.arrange(subject, this::advance);
        Optional<StoredRecord> before = subject.find();

        WriteResult answer = subject.keepStep(last.claim(), ONE);

        assertThat(answer).isEqualTo(situation.isOwned() ? WriteResult.applied() : WriteResult.leaseLost());
        Optional<StoredRecord> after = subject.find();
        assertThat(after.map(StoredRecord::state)).isEqualTo(before.map(StoredRecord::state));
        if (situation.isOwned()) {
            assertThat(after.orElseThrow().steps()).isEqualTo(ONE);
            assertThat(after.orElseThrow().fencingToken())
                    .isEqualTo(before.orElseThrow().fencingToken());
            assertRemaining(
                    after.orElseThrow().leaseRemaining(), before.orElseThrow().leaseRemaining());
        } else {
            before.ifPresent(record -> assertUnchanged(record, after.orElseThrow()));
        }
    }

    @EachCallForm
    @DisplayName("a former owner keeps nothing beside the new one")
    void formerOwner(CallForm form) {
        KeyUnderTest subject = steps(form);
        HeldClaim former = subject.acquire();
        keep(subject, former, ONE);
        advance(KeyUnderTest.LEASE);
        HeldClaim owner = subject.elsewhere().acquire();
        keep(subject.elsewhere(), owner, TWO);

        KeyUnderTest.assertLeaseLost(subject.keepStep(former.claim(), ONE));

        assertThat(subject.found().steps()).isEqualTo(joined(ONE, TWO));
    }

    static Stream<Arguments> releases() {
        return Stream.of(ReleaseMode.values())
                .flatMap(mode -> Stream.of(CallForm.values()).map(form -> Arguments.of(mode, form)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("releases")
    @DisplayName(
            "steps stay with the record when its claim is taken over, released or given back, and change nothing of its counts")
    void survive(ReleaseMode mode, CallForm form) {
        KeyUnderTest subject = steps(form);
        keep(subject, subject.acquire(UniqueNames.owner(), RED), ONE);
        advance(KeyUnderTest.LEASE);
        HeldClaim second = subject.acquire(UniqueNames.owner(), RED);
        assertThat(second.answer().steps()).isEqualTo(ONE);
        assertThat(second.deaths()).isEqualTo(1);
        assertThat(second.tookOver()).isTrue();
        keep(subject, second, TWO);
        KeyUnderTest.assertApplied(subject.renew(second));
        assertThat(subject.found().steps()).isEqualTo(joined(ONE, TWO));
        KeyUnderTest.assertApplied(subject.release(second, mode));
        StoredRecord released = subject.found();
        assertThat(released.steps()).isEqualTo(joined(ONE, TWO));
        assertThat(released.fingerprint()).isEqualTo(RED);

        HeldClaim third = subject.elsewhere().acquire(UniqueNames.owner(), RED);

        assertThat(third.answer().steps()).isEqualTo(joined(ONE, TWO));
        assertThat(third.attempt()).isEqualTo(mode == ReleaseMode.STARTED ? 3 : 2);
        assertThat(third.deaths())
                .isEqualTo(
                        switch (mode) {
                            case STARTED, NOT_STARTED -> 1;
                            case CONVICTED -> 0;
                        });
        assertThat(third.tookOver()).isEqualTo(mode == ReleaseMode.NOT_STARTED);
    }

    @EachCallForm
    @DisplayName("a claim that its owner repeats returns the steps again")
    void repeatedClaim(CallForm form) {
        KeyUnderTest subject = steps(form);
        HeldClaim first = subject.acquire();
        keep(subject, first, ONE);
        KeyUnderTest.assertApplied(subject.release(first, ReleaseMode.STARTED));
        HeldClaim second = subject.acquire();

        HeldClaim again = subject.elsewhere().acquire(second.owner());

        assertThat(again.answer().steps()).isEqualTo(ONE);
        assertThat(again.attempt()).isEqualTo(2);
        assertThat(again.token()).isEqualTo(second.token());
    }

    @EachCallForm
    @DisplayName("a copy in flight and a conflict are recognized beside steps")
    void blocksCopies(CallForm form) {
        KeyUnderTest subject = steps(form);
        keep(subject, subject.acquire(RED), ONE);

        subject.elsewhere().assertInFlight();
        assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
    }

    static Stream<Arguments> results() {
        return Stream.of("none", "some")
                .flatMap(result -> Stream.of(CallForm.values()).map(form -> Arguments.of(result, form)));
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("results")
    @DisplayName("a completion ends the steps, and keeps its own result and the fingerprint")
    void done(String result, CallForm form) {
        for (byte[] entry : List.of(ONE, TWO)) {
            KeyUnderTest subject = steps(form);
            byte @Nullable [] kept = result.equals("none") ? null : new byte[] {42};
            HeldClaim held = subject.acquire(RED);
            keep(subject, held, entry);

            KeyUnderTest.assertApplied(subject.complete(held.claim(), KeyUnderTest.WINDOW, kept, false));

            assertThat(subject.elsewhere().claim(UniqueNames.owner(), RED))
                    .isInstanceOfSatisfying(ClaimResult.AlreadyDone.class, done -> {
                        assertThat(done.result()).isEqualTo(kept);
                        assertThat(done.attempt()).isEqualTo(1);
                    });
            assertThat(subject.claim(UniqueNames.owner(), BLUE)).isInstanceOf(ClaimResult.Conflict.class);
            assertThat(subject.found().steps()).isNull();
            assertThat(subject.found().result()).isEqualTo(kept);
            KeyUnderTest.assertLeaseLost(subject.keepStep(held.claim(), entry));
            advance(KeyUnderTest.WINDOW_LENGTH);
            assertThat(subject.acquire().answer().steps()).isNull();
        }
    }

    @Test
    @DisplayName("a batch of completions ends the steps of those that had some")
    void doneTogether() {
        requireSteps();
        List<HeldClaim> held = new ArrayList<>();
        List<KeyUnderTest> subjects = new ArrayList<>();
        DedupScope scope = newScope();
        Owner owner = UniqueNames.owner();
        for (int i = 0; i < 20; i++) {
            KeyUnderTest subject = subject(CallForm.ALONE, scope, "order-" + i);
            subjects.add(subject);
            held.add(subject.acquire(owner));
            if (i % 2 == 0) {
                keep(subject, held.get(i), ONE);
            }
        }

        assertThat(store().complete(held.stream()
                        .map(claim -> new CompleteRequest(claim.claim(), KeyUnderTest.WINDOW, null, false))
                        .toList()))
                .containsOnly(WriteResult.applied());

        for (KeyUnderTest subject : subjects) {
            assertThat(subject.claim())
                    .isInstanceOfSatisfying(
                            ClaimResult.AlreadyDone.class,
                            done -> assertThat(done.result()).isNull());
        }
    }

    /** How a record with steps ends without its owner. */
    enum Ending {
        FORGOTTEN,
        FORCED_DONE,
        RETENTION_OVER,
        IMPORTED
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("steps end with the record: the next run of the message has none")
    void ended(Ending ending) {
        assumeTrue(ending != Ending.IMPORTED || fixture().imports());
        KeyUnderTest subject = steps(CallForm.ALONE);
        HeldClaim held = subject.acquire();
        keep(subject, held, ONE);
        Instant claimed = requireNonNull(subject.found().claimedAt());
        if (ending != Ending.RETENTION_OVER) {
            KeyUnderTest.assertApplied(subject.release(held, ReleaseMode.STARTED));
        }

        switch (ending) {
            case FORGOTTEN -> store().forget(subject.key(), LiveLease.RESPECT);
            case FORCED_DONE -> store().forceDone(subject.key(), KeyUnderTest.WINDOW, LiveLease.RESPECT);
            case RETENTION_OVER -> advance(KeyUnderTest.LEASE.plus(store().attemptRetention()));
            case IMPORTED ->
                assertThat(ImportingStore.of(store(), "store")
                                .importDone(
                                        List.of(new ImportRequest(subject.key(), claimed, KeyUnderTest.WINDOW, null))))
                        .containsExactly(Decision.IMPORTED);
        }

        if (ending == Ending.FORCED_DONE || ending == Ending.IMPORTED) {
            assertThat(subject.found().state()).isEqualTo(State.DONE);
            assertThat(subject.found().steps()).isNull();
            assertThat(subject.found().result()).isNull();
            advance(KeyUnderTest.WINDOW_LENGTH.plus(Duration.ofMinutes(1)));
        }
        assertThat(subject.acquire().answer().steps()).isNull();
    }

    @Test
    @DisplayName("a record with steps is listed as stuck")
    void stuck() {
        assumeTrue(fixture().listsStuck());
        KeyUnderTest subject = steps(CallForm.ALONE);
        keep(subject, subject.acquire(), ONE);
        advance(KeyUnderTest.LEASE.plus(Duration.ofHours(1)));

        assertThat(((StuckRecordFinder) store())
                        .findStuck(new StuckQuery(subject.key().scope(), Duration.ofMinutes(1), 10))
                        .records())
                .singleElement()
                .satisfies(stuck -> assertThat(stuck.record().steps()).isEqualTo(ONE));
    }

    @Test
    @DisplayName("appends of several threads, and renewals between them, lose nothing")
    void races() {
        KeyUnderTest subject = steps(CallForm.ALONE);
        HeldClaim held = subject.acquire();
        int rounds = 20;
        try (RacingThreads crowd = new RacingThreads()) {
            crowd.race(
                    Collections.nCopies(rounds, subject),
                    (client, member, race) -> applied(() -> member == 0 && race % 5 == 0
                            ? client.renew(held)
                            : client.keepStep(held.claim(), new byte[] {(byte) (member * rounds + race)})));
        }

        byte[] steps = requireNonNull(subject.found().steps());
        assertThat(steps).hasSize(RacingThreads.SIZE * rounds - rounds / 5).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("a step against a takeover: what is applied is returned by the claim, what isn't is not")
    void againstTakeover() {
        requireSteps();
        List<HeldClaim> owners = new ArrayList<>();
        List<KeyUnderTest> subjects = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            KeyUnderTest subject = steps(CallForm.ALONE);
            subjects.add(subject);
            owners.add(subject.acquire());
        }
        advance(KeyUnderTest.LEASE);

        List<List<Object>> races;
        try (RacingThreads crowd = new RacingThreads()) {
            races = crowd.race(
                    subjects,
                    (subject, member, race) -> member == 0
                            ? subject.keepStep(owners.get(race).claim(), ONE)
                            : member == 1 ? subject.claim() : "");
        }

        for (int i = 0; i < races.size(); i++) {
            boolean applied = races.get(i).get(0).equals(WriteResult.applied());
            assertThat(applied || races.get(i).get(0).equals(WriteResult.leaseLost()))
                    .isTrue();
            assertThat(((ClaimResult.Acquired) races.get(i).get(1)).steps()).isEqualTo(applied ? ONE : null);
        }
    }

    /** A heartbeat may meet a locked row; the write itself must get an answer. */
    private static WriteResult applied(Supplier<WriteResult> write) {
        WriteResult answer = write.get();
        for (int i = 0; answer instanceof WriteResult.StoreError && i < 1_000; i++) {
            answer = write.get();
        }
        KeyUnderTest.assertApplied(answer);
        return answer;
    }

    private KeyUnderTest steps(CallForm form) {
        requireSteps();
        return subject(form);
    }

    private void requireSteps() {
        assumeTrue(fixture().keepsSteps(), "the store keeps no steps");
    }

    private static void keep(KeyUnderTest subject, HeldClaim held, byte[] entry) {
        KeyUnderTest.assertApplied(subject.keepStep(held.claim(), entry));
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }
}
