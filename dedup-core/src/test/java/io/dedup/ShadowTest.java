package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.store.ClaimRequest;
import io.dedup.store.Owner;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ShadowTest extends DeduplicatorTestBase {
    private final List<String> ran = new ArrayList<>();
    private final Deduplicator dedup = deduplicator(
            policy -> policy.shadow(true).inFlightWait(Duration.ofMinutes(10)).maxDeaths(1));

    private DedupOutcome<String> execute(String id) {
        return dedup.execute(key(id), context -> {
            assertThat(context.guarded()).isFalse();
            assertThat(context.attempt()).isZero();
            assertThat(context.fencingToken()).isZero();
            assertThat(context.key()).isEqualTo(key(id));
            assertThat(context.leaseLost()).isFalse();
            ran.add(id);
            return id;
        });
    }

    @Test
    void everyMessageRunsAndDuplicatesAreTold() {
        assertThat(execute("a")).isEqualTo(new Handled<>("a", Completion.UNGUARDED));
        assertThat(execute("a")).isEqualTo(new Handled<>("a", Completion.UNGUARDED));

        assertThat(ran).containsExactly("a", "a");
        assertThat(events.all()).containsExactly("shadow a duplicate");
    }

    @Test
    void keepsItsRecordsApartFromTheRealOnes() {
        execute("a");

        assertThat(store.find(key("a"))).isEmpty();
        assertThat(store.find(new DedupKey(key("a").scope().shadow(), "a"))).isPresent();
        assertThat(deduplicator().execute(key("a"), context -> "real"))
                .isEqualTo(new Handled<>("real", Completion.DONE));
    }

    @Test
    void neverWaitsNorDefers() {
        claimElsewhere("a");
        long from = System.nanoTime();

        assertThat(execute("a")).isInstanceOf(Handled.class);

        assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(Duration.ofSeconds(5));
        assertThat(store.calls(Op.CLAIM)).hasSize(1);
        assertThat(events.all()).containsExactly("shadow a in flight");
    }

    @Test
    void aStoreThatIsDownChangesNothing() {
        store.down();

        assertThat(execute("a")).isInstanceOf(Handled.class);
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        assertThat(events.all()).containsExactly("store error claim", "shadow a store unavailable");
    }

    @Test
    void aCompletionThatFailsChangesNothing() {
        store.on(Op.COMPLETE, Faults.down());

        assertThat(execute("a")).isEqualTo(new Handled<>("a", Completion.UNGUARDED));
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        assertThat(store.calls(Op.COMPLETE)).hasSize(1);
    }

    @Test
    void missingIdsConflictsAndPoisonRun() {
        assertThat(DedupAdapter.of(dedup)
                        .admit(Delivery.of(dedup.topic(TOPIC), null, null, () -> "x"), WaitBudget.none()))
                .isInstanceOf(Admission.Run.class);
        DedupCall<String> call = DedupCall.of(key("a"));
        dedup.execute(call.withFingerprint(new Fingerprint("one")), context -> String.valueOf(ran.add("one")));
        dedup.execute(call.withFingerprint(new Fingerprint("two")), context -> String.valueOf(ran.add("two")));
        assertThat(ran).containsExactly("one", "two");

        ((Admission.Run) admit("dies")).execution().abandon();
        clock.advance(Duration.ofMinutes(1));
        assertThat(admit("dies")).isInstanceOf(Admission.Run.class);
        assertThat(events.all()).contains("shadow a conflict").noneMatch(event -> event.startsWith("poison"));
    }

    @Test
    void aFailureIsTheHandlersOwn() {
        assertThatIllegalStateException()
                .isThrownBy(() -> dedup.execute(key("a"), context -> {
                    claimElsewhere("b");
                    clock.advance(Duration.ofMinutes(1));
                    store.intact()
                            .claim(List.of(new ClaimRequest(shadowKey("a"), new Owner("o"), Duration.ofMinutes(1))))
                            .get(0);
                    throw new IllegalStateException("not deferred, though the lease is lost");
                }));
    }

    @Test
    void copiesOfABatchRunAndNobodyWaits() {
        claimElsewhere("b");
        dedup.execute(key("c"), context -> "");

        dedup.executeAll(
                List.of("a", "b", "a", "c"),
                DeduplicatorTestBase::key,
                items -> items.forEach(item -> ran.add(item.value())));

        assertThat(ran).containsExactly("a", "b", "a", "c");
        assertThat(events.all()).contains("shadow a copy in batch", "shadow b in flight", "shadow c duplicate");
        assertThat(store.calls(Op.CLAIM)).hasSize(2);
        assertThat(store.calls(Op.COMPLETE)).hasSize(2);
    }

    @Test
    @DisplayName("a watched message neither waits nor is asked for again because a neighbour is")
    void mixedBatch() {
        Deduplicator mixed = deduplicator(
                store,
                policy -> policy.inFlightWait(Duration.ofMillis(200)),
                builder -> builder.topic("watched", policy -> policy.shadow(true)));
        DedupKey watched = mixed.key("watched", "a");
        store.intact()
                .claim(List.of(new ClaimRequest(
                        new DedupKey(watched.scope().shadow(), "a"), new Owner("o"), Duration.ofMinutes(1))))
                .get(0);
        store.intact()
                .claim(List.of(new ClaimRequest(mixed.key(TOPIC, "b"), new Owner("o"), Duration.ofMinutes(1))))
                .get(0);

        mixed.executeAll(
                List.of(watched, mixed.key(TOPIC, "b")),
                key -> key,
                items -> assertThat(items).hasSize(1));

        assertThat(store.calls(Op.CLAIM).size()).isGreaterThan(2);
        assertThat(store.calls(Op.CLAIM).subList(1, 3))
                .allSatisfy(call -> assertThat(call.requests()).hasSize(1));
    }

    @Test
    void runsEvenAfterTheEnd() {
        dedup.close();

        assertThat(execute("a")).isInstanceOf(Handled.class);
        dedup.executeAll(List.of("a"), DeduplicatorTestBase::key, items -> ran.add("batch"));
        assertThat(ran).containsExactly("a", "batch");
    }

    private Admission admit(String id) {
        return DedupAdapter.of(dedup).admit(Delivery.of(dedup.topic(TOPIC), id, null, () -> "x"), WaitBudget.none());
    }

    private void claimElsewhere(String id) {
        store.intact()
                .claim(List.of(new ClaimRequest(shadowKey(id), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);
    }

    private static DedupKey shadowKey(String id) {
        return new DedupKey(key(id).scope().shadow(), id);
    }
}
