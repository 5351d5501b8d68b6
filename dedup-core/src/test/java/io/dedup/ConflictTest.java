package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.DedupOutcome.Rejected;
import io.dedup.DedupOutcome.SkipReason;
import io.dedup.DedupOutcome.Skipped;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.OnConflict;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ConflictTest extends DeduplicatorTestBase {
    private static final Fingerprint ONE = new Fingerprint("one");
    private static final Fingerprint TWO = new Fingerprint("two");

    private Deduplicator dedup(OnConflict onConflict) {
        return deduplicator(policy -> policy.onConflict(onConflict));
    }

    private static DedupCall<String> call(@Nullable Fingerprint fingerprint) {
        return new DedupCall<>(key("a"), fingerprint, null);
    }

    @Test
    void failsByDefault() {
        Deduplicator dedup = deduplicator();
        dedup.execute(call(ONE), context -> "first");

        assertThat(dedup.execute(call(TWO), context -> "must not run"))
                .isInstanceOfSatisfying(Rejected.class, rejected -> {
                    assertThat(rejected.mayAck()).isFalse();
                    assertThat(rejected.cause()).isInstanceOf(PayloadConflictException.class);
                });
        assertThat(dedup.execute(call(ONE), context -> "must not run")).isInstanceOf(Duplicate.class);
        assertThat(dedup.execute(call(null), context -> "must not run")).isInstanceOf(Duplicate.class);
        assertThat(events.count("conflict a FAIL")).isEqualTo(1);
    }

    @Test
    void isSkippedIfToldSo() {
        Deduplicator dedup = dedup(OnConflict.SKIP);
        dedup.execute(call(ONE), context -> "first");

        assertThat(dedup.execute(call(TWO), context -> "must not run")).isEqualTo(new Skipped<>(SkipReason.CONFLICT));
    }

    @Test
    void runsUnguardedIfToldSoAndLeavesTheRecordAlone() {
        Deduplicator dedup = dedup(OnConflict.PROCESS);
        dedup.execute(call(ONE), context -> "first");

        for (int i = 0; i < 2; i++) {
            assertThat(dedup.execute(call(TWO), context -> {
                        assertThat(context.guarded()).isFalse();
                        assertThat(context.key()).isEqualTo(key("a"));
                        return "second";
                    }))
                    .isEqualTo(new Handled<>("second", DedupOutcome.Completion.UNGUARDED));
        }
        assertThat(record("a").fingerprint()).isEqualTo(ONE);
        assertThat(record("a").attempt()).isEqualTo(1);
        assertThat(dedup.execute(call(ONE), context -> "must not run")).isInstanceOf(Duplicate.class);
    }

    @Test
    void aMessageInFlightConflictsToo() {
        Deduplicator dedup = deduplicator();

        dedup.execute(call(ONE), context -> {
            assertThat(dedup.execute(call(TWO), inner -> "must not run")).isInstanceOf(Rejected.class);
            return "";
        });
    }

    @Test
    void aCopyInABatchConflictsWithItsFirst() {
        Deduplicator dedup = deduplicator();

        assertThat(admitAll(dedup, ONE, TWO, ONE))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Admission.Run.class),
                        second -> assertThat(second).isInstanceOf(Admission.Reject.class),
                        third -> assertThat(third).isEqualTo(new Admission.Follow(0)));
    }

    @Test
    void conflictingCopiesOfABatchRunUnguardedIfToldSo() {
        Deduplicator dedup = dedup(OnConflict.PROCESS);
        dedup.execute(call(ONE), context -> "first");

        assertThat(admitAll(dedup, TWO, TWO, ONE))
                .satisfiesExactly(
                        first -> assertThat(guarded(first)).isFalse(),
                        second -> assertThat(guarded(second)).isFalse(),
                        third -> assertThat(third).isInstanceOf(Admission.Duplicate.class));
    }

    @Test
    @DisplayName("T2 a copy that is in flight isn't skipped because another payload of its batch conflicts")
    void aCopyWithThePayloadInFlight() {
        for (OnConflict onConflict : OnConflict.values()) {
            Deduplicator dedup = dedup(onConflict);
            DedupKey key = key(onConflict.name());
            store.intact()
                    .claim(List.of(new ClaimRequest(key, new Owner("o"), Duration.ofMinutes(1), ONE, true)))
                    .get(0);

            List<Admission> admissions = DedupAdapter.of(dedup)
                    .admitAll(List.of(delivery(dedup, key, TWO), delivery(dedup, key, ONE)), WaitBudget.none())
                    .admissions();

            assertThat(admissions.get(1)).isInstanceOf(Admission.Defer.class);
        }
    }

    @Test
    void aCopyWithThePayloadThatIsDoneIsADuplicate() {
        Deduplicator dedup = dedup(OnConflict.FAIL);
        dedup.execute(call(ONE), context -> "first");

        assertThat(admitAll(dedup, TWO, ONE, TWO))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Admission.Reject.class),
                        second -> assertThat(second).isInstanceOf(Admission.Duplicate.class),
                        third -> assertThat(third).isInstanceOf(Admission.Reject.class));
        assertThat(events.count("conflict a FAIL")).isEqualTo(2);
    }

    @Test
    void aCopyThatIsFreeOfItsLeaderRuns() {
        Deduplicator dedup = dedup(OnConflict.FAIL);
        dedup.execute(call(ONE), context -> "first");
        // The record goes between the batch's claim and that of the copy.
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answer = real.apply(call.requests());
            store.intact().forget(key("a"), LiveLease.OVERRIDE);
            return answer;
        });

        assertThat(admitAll(dedup, TWO, ONE))
                .satisfiesExactly(
                        first -> assertThat(first).isInstanceOf(Admission.Reject.class),
                        second -> assertThat(guarded(second)).isTrue());
    }

    private static List<Admission> admitAll(Deduplicator dedup, Fingerprint... payloads) {
        return DedupAdapter.of(dedup)
                .admitAll(
                        List.of(payloads).stream()
                                .map(payload -> delivery(dedup, key("a"), payload))
                                .toList(),
                        WaitBudget.none())
                .admissions();
    }

    private static boolean guarded(Admission admission) {
        Execution execution = ((Admission.Run) admission).execution();
        return execution.guarded();
    }

    private static Delivery delivery(Deduplicator dedup, DedupKey key, Fingerprint payload) {
        return new Delivery(dedup.topic(TOPIC), key, null, payload, () -> "orders-0@17");
    }
}
