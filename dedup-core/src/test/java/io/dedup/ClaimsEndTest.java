package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** K18: claims that nobody closes out. On a running clock. */
@Execution(ExecutionMode.CONCURRENT)
class ClaimsEndTest extends DeduplicatorTestBase {
    private static final Duration LEASE = Duration.ofMillis(300);
    /** Until it is over, a busy machine sees that there is a claim. */
    private static final Duration LONG = LEASE.multipliedBy(10);

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final FaultyStore running = new FaultyStore(new InMemoryDedupStore());
    private final CompletableFuture<String> work = new CompletableFuture<>();

    /** One whose close() waits for a minute while anything is in flight. */
    private Deduplicator patient(Duration maxProcessingTime) {
        return deduplicator(
                running,
                policy -> policy.lease(LEASE).maxProcessingTime(maxProcessingTime),
                builder -> builder.shutdownTimeout(Duration.ofMinutes(1)));
    }

    private CompletionStage<DedupOutcome<String>> begin(Deduplicator dedup, String id) {
        return dedup.executeAsync(DedupCall.of(key(id)), context -> work);
    }

    @Test
    @DisplayName("K18 a claim whose stage never ends isn't in flight any more when its renewals and its lease are over")
    void neverEnds() {
        Deduplicator dedup = patient(LONG);
        CompletionStage<DedupOutcome<String>> outcome = begin(dedup, "a");
        assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(1);

        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        assertThat(events.count("overrun a")).isEqualTo(1);
        assertThat(events.count("lost a")).isEqualTo(1);
        assertThat(CompletableFuture.runAsync(dedup::close)).succeedsWithin(PATIENCE);

        work.complete("effect"); // nobody has taken over meanwhile
        assertThat(outcome).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.DONE));
        assertThat(running.find(key("a")).orElseThrow().state()).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("K18 a claim whose run never begins, because an Error ended whoever made it, isn't renewed for ever")
    void neverBegins() {
        Deduplicator dedup = patient(LONG);
        Delivery delivery = Delivery.of(dedup.topic(key("a").scope().topic()), "a", null, () -> "orders-0@17");
        assertThat(DedupAdapter.of(dedup).admit(delivery, WaitBudget.none())).isInstanceOf(Admission.Run.class);
        assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(1);

        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        ClaimRequest elsewhere = new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1));
        await().until(() -> running.intact().claim(List.of(elsewhere)).get(0) instanceof ClaimResult.Acquired);
        assertThat(events.count("overrun a")).isZero();
    }

    @Test
    @DisplayName("K18 its late success changes nothing when somebody else has taken over")
    void takenOver() {
        Deduplicator dedup = patient(LEASE.multipliedBy(2));
        CompletionStage<DedupOutcome<String>> outcome = begin(dedup, "a");
        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        ClaimRequest takeOver = new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1));
        await().until(() -> running.intact().claim(List.of(takeOver)).get(0) instanceof ClaimResult.Acquired);

        work.complete("effect");
        assertThat(outcome).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.LEASE_LOST));
        assertThat(running.find(key("a")).orElseThrow().state()).isEqualTo(State.PROCESSING);
    }

    @Test
    @DisplayName("K18 a claim that the store has given to somebody else isn't in flight any more")
    void lost() {
        Deduplicator dedup = patient(Duration.ofMinutes(1));
        CompletionStage<DedupOutcome<String>> outcome = begin(dedup, "a");
        running.intact().forget(key("a"), LiveLease.OVERRIDE);
        running.intact()
                .claim(List.of(new ClaimRequest(key("a"), new Owner("elsewhere"), Duration.ofMinutes(1))))
                .get(0);

        await().until(() -> DedupAdapter.of(dedup).inFlight() == 0);
        work.complete("effect");
        assertThat(outcome).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.LEASE_LOST));
    }

    @Test
    @DisplayName(
            "K18 a claim that cannot be renewed stays in flight: the store may answer again before anybody takes over")
    void storeDown() {
        Deduplicator dedup =
                deduplicator(running, policy -> policy.lease(LEASE).maxProcessingTime(Duration.ofMinutes(1)));
        CompletionStage<DedupOutcome<String>> outcome = begin(dedup, "a");
        running.down();
        await().until(() -> events.count("lost a") == 1);
        assertThat(DedupAdapter.of(dedup).inFlight()).isEqualTo(1);

        running.heal();
        int before = running.calls(Op.RENEW).size();
        await().until(() -> running.calls(Op.RENEW).size() > before + 2);
        work.complete("effect");
        assertThat(outcome).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    @DisplayName("K18 several that close together share one timeout, and renew their leases until it is over")
    void closeTogether() {
        Duration timeout = Duration.ofSeconds(1);
        List<Deduplicator> several = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Deduplicator each =
                    deduplicator(running, policy -> policy.lease(LEASE), builder -> builder.shutdownTimeout(timeout));
            several.add(each);
            CompletionStage<DedupOutcome<String>> unused = begin(each, "m" + i);
        }
        long from = System.nanoTime();
        Deduplicators.closeAll(several);
        Duration took = Duration.ofNanos(System.nanoTime() - from);

        assertThat(took).isBetween(timeout, timeout.multipliedBy(4));
        assertThat(running.calls(Op.RENEW))
                .as("renewals of the last one, while the first is waited for")
                .anyMatch(call ->
                        call.at() - from > timeout.toNanos() / 3 && call.keys().contains(key("m5")));
        work.complete("effect"); // or each would wait once more
        assertThat(several).allMatch(each -> each.execute(key("new"), context -> "") instanceof DedupOutcome.Deferred);
    }

    @Test
    @DisplayName("PROCESS K18 a run that the store wasn't asked about is overdue after the same time as others")
    void unaskedRunsEnd() {
        Deduplicator dedup = deduplicator(
                running,
                policy -> policy.lease(LEASE)
                        .maxProcessingTime(LEASE.multipliedBy(2))
                        .onStoreFailure(OnStoreFailure.PROCESS));
        running.on(Op.CLAIM, (call, real) -> {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos()); // a slow failure
            throw new DedupStoreException("no answer in time", null);
        });
        running.pingFails(true);
        CompletionStage<DedupOutcome<String>> first = begin(dedup, "first");
        CompletionStage<DedupOutcome<String>> second = begin(dedup, "second"); // by now the gate is closed
        Delivery delivery = Delivery.of(dedup.topic(TOPIC), "a", null, () -> "orders-0@17");
        io.dedup.adapter.Execution execution =
                ((Admission.Run) DedupAdapter.of(dedup).admit(delivery, WaitBudget.none())).execution();
        execution.begin();
        assertThat(running.calls(Op.CLAIM)).noneMatch(call -> call.keys().contains(key("a")));

        await().until(execution::isOverdue);
        running.heal(); // or close() would wait for it
        running.pingFails(false);
        work.complete("effect");
        assertThat(first.thenCombine(second, (one, other) -> "ended")).succeedsWithin(PATIENCE);
    }
}
