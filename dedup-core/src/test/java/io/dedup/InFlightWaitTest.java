package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.OnStoreFailure;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.CompleteRequest;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class InFlightWaitTest extends DeduplicatorTestBase {
    private static final Owner ELSEWHERE = new Owner("elsewhere");

    @Test
    void theEndOfTheOtherRunIsWaitedFor() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        Claim other = claimElsewhere("a", Duration.ofMinutes(10));

        CompletableFuture<DedupOutcome<String>> copy = waiting(dedup, "a");
        store.intact()
                .complete(List.of(new CompleteRequest(other, Window.forever(), null, false)))
                .get(0);

        assertThat(copy).succeedsWithin(Duration.ofSeconds(10)).isInstanceOf(Duplicate.class);
    }

    @Test
    void aReleaseOfTheOtherRunIsTakenUp() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        Claim other = claimElsewhere("a", Duration.ofMinutes(10));

        CompletableFuture<DedupOutcome<String>> copy = waiting(dedup, "a");
        store.intact()
                .release(List.of(new ReleaseRequest(other, ReleaseMode.STARTED)))
                .get(0);

        assertThat(copy).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(new Handled<>("ran", Completion.DONE));
    }

    @Test
    void theEndOfTheOtherLeaseIsTakenUp() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        claimElsewhere("a", Duration.ofMinutes(10));

        CompletableFuture<DedupOutcome<String>> copy = waiting(dedup, "a");
        clock.advance(Duration.ofMinutes(10));

        assertThat(copy).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(new Handled<>("ran", Completion.DONE));
    }

    @Test
    @DisplayName("the end of a run in this process wakes its copies at once")
    void theEndOfAnOwnRunIsWaitedFor() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        int atOnce = 0;
        for (int i = 0; i < 20; i++) {
            String id = "m" + i;
            boolean fails = i % 2 == 0;
            OwnRun first = new OwnRun(dedup, id);
            CompletableFuture<DedupOutcome<String>> copy = waiting(dedup, id, 1);

            first.end(fails ? new IllegalStateException("for once") : null);
            long ended = System.nanoTime();
            assertThat(copy)
                    .succeedsWithin(Duration.ofSeconds(30))
                    .isInstanceOf(fails ? Handled.class : Duplicate.class);
            atOnce += Duration.ofNanos(System.nanoTime() - ended).toMillis() < 500 ? 1 : 0;
        }
        assertThat(atOnce).isGreaterThan(10); // the store is asked once a second
    }

    @Test
    void theStoreIsAskedSeldomWhileAnOwnRunGoesOn() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMillis(300)));
        OwnRun first = new OwnRun(dedup, "a");

        assertThat(dedup.execute(key("a"), context -> "ran")).isInstanceOf(Deferred.class);

        assertThat(store.calls(Op.CLAIM)).hasSizeLessThanOrEqualTo(3);
        first.end(null);
    }

    @Test
    @DisplayName("of a batch that waits for own runs and for others, each is asked for when its wait is over")
    void aBatchWaitsForOwnRunsAndForOthers() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        Claim elsewhere = claimElsewhere("b", Duration.ofMinutes(10));
        OwnRun first = new OwnRun(dedup, "a");
        CompletableFuture<BatchAdmission> batch = CompletableFuture.supplyAsync(() -> DedupAdapter.of(dedup)
                .admitAll(List.of(delivery(dedup, "a"), delivery(dedup, "b")), WaitBudget.of(Duration.ofMinutes(1))));

        await().until(() -> store.calls(Op.CLAIM).size() > 4); // asks for "b" meanwhile
        store.intact()
                .release(List.of(new ReleaseRequest(elsewhere, ReleaseMode.STARTED)))
                .get(0);
        await().until(() -> stateOf("b") == State.PROCESSING);
        assertThat(batch).isNotDone();
        first.end(null);

        assertThat(batch).succeedsWithin(Duration.ofSeconds(30));
        assertThat(batch.get().admissions().get(0)).isInstanceOf(Admission.Duplicate.class);
        assertThat(batch.get().admissions().get(1))
                .isInstanceOfSatisfying(
                        Admission.Run.class, run -> run.execution().giveBack());
    }

    @Test
    @DisplayName("a batch that waits for own runs only is asked for once, when all of them have ended")
    void aBatchBesideManyOwnRuns() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        List<Delivery> messages =
                IntStream.range(0, 100).mapToObj(i -> delivery(dedup, "m" + i)).toList();
        BatchAdmission first = DedupAdapter.of(dedup).admitAll(messages, WaitBudget.none());
        int before = store.calls(Op.CLAIM).size();
        CompletableFuture<BatchAdmission> copies = CompletableFuture.supplyAsync(
                () -> DedupAdapter.of(dedup).admitAll(messages, WaitBudget.of(Duration.ofMinutes(1))));
        await().until(() -> store.calls(Op.CLAIM).size() > before);

        for (Admission each : first.admissions()) {
            LockSupport.parkNanos(1_000_000);
            ((Admission.Run) each).execution().succeed(null, WaitBudget.none());
        }

        assertThat(copies).succeedsWithin(Duration.ofSeconds(30));
        assertThat(copies.get().admissions()).hasOnlyElementsOfType(Admission.Duplicate.class);
        assertThat(store.calls(Op.CLAIM).size() - before).isLessThan(20);
    }

    @Test
    @DisplayName("of a batch that waits for a run elsewhere, an own run that may have lost its lease is asked for too")
    void anOwnRunBesideOneElsewhereIsAskedForToo() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        OwnRun first = new OwnRun(dedup, "a");
        claimElsewhere("b", Duration.ofMinutes(10));
        store.on(Op.RENEW, Faults.down());
        clock.advance(Duration.ofSeconds(40)); // the first run's lease is over, and it cannot know
        Claim other = claimElsewhere("a", Duration.ofMinutes(10));
        int before = store.calls(Op.CLAIM).size();
        CompletableFuture<BatchAdmission> batch = CompletableFuture.supplyAsync(() -> DedupAdapter.of(dedup)
                .admitAll(List.of(delivery(dedup, "a"), delivery(dedup, "b")), WaitBudget.of(Duration.ofMinutes(1))));
        await().until(() -> store.calls(Op.CLAIM).size() > before);

        store.intact()
                .complete(List.of(new CompleteRequest(other, Window.forever(), null, false)))
                .get(0);

        assertThat(batch).succeedsWithin(Duration.ofSeconds(30));
        assertThat(batch.get().admissions().get(0)).isInstanceOf(Admission.Duplicate.class);
        first.end(null);
    }

    @Test
    @DisplayName("a claim without an answer doesn't wait for the own run of another message: it may have been granted")
    void aLostAnswerBesideAnOwnRun() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(1)));
        OwnRun first = new OwnRun(dedup, "own");
        AtomicBoolean lost = new AtomicBoolean();
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answers = real.apply(call.requests());
            if (lost.getAndSet(true)) {
                return answers;
            }
            return List.of(new ClaimResult.StoreError(new DedupStoreException("lost", null)), answers.get(1));
        });
        CompletableFuture<BatchAdmission> batch = CompletableFuture.supplyAsync(() -> DedupAdapter.of(dedup)
                .admitAll(
                        List.of(delivery(dedup, "lost"), delivery(dedup, "own")),
                        WaitBudget.of(Duration.ofMinutes(1))));

        // Those that wait for own runs are asked for with all others, once a second.
        await().until(() ->
                store.calls(Op.CLAIM).stream().anyMatch(call -> call.keys().equals(List.of(key("lost")))));
        first.end(null);

        assertThat(batch).succeedsWithin(Duration.ofSeconds(30));
        assertThat(batch.get().admissions().get(0))
                .isInstanceOfSatisfying(
                        Admission.Run.class, run -> run.execution().giveBack());
    }

    @Test
    @DisplayName(
            "with PROCESS, a copy isn't handled beside the run of its own process, whether the store fails once or for good")
    void processBesideAnOwnRun() {
        Deduplicator dedup = deduplicator(
                policy -> policy.inFlightWait(Duration.ofMinutes(1)).onStoreFailure(OnStoreFailure.PROCESS));
        OwnRun first = new OwnRun(dedup, "a");
        CompletableFuture<DedupOutcome<String>> copy = waiting(dedup, "a", 1);

        store.on(Op.CLAIM, Faults.times(1, Faults.down()));
        await().until(() -> store.calls(Op.CLAIM).size() > 3);
        assertThat(copy).isNotDone();
        store.on(Op.CLAIM, Faults.down());
        assertThat(copy)
                .succeedsWithin(Duration.ofSeconds(30))
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT));

        first.end(null);
    }

    @Test
    void oneOwnerAsksAllTheTime() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMillis(300)));
        claimElsewhere("a", Duration.ofMinutes(10));

        assertThat(dedup.execute(key("a"), context -> "ran")).isInstanceOf(Deferred.class);

        assertThat(store.calls(Op.CLAIM)).hasSizeBetween(3, 16);
        assertThat(store.calls(Op.CLAIM))
                .extracting(call -> ((ClaimRequest) call.requests().get(0)).owner())
                .containsOnly(
                        ((ClaimRequest) store.calls(Op.CLAIM).get(0).requests().get(0)).owner());
    }

    @Test
    void whenTheBudgetIsSpentItIsDeferred() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(10)));
        claimElsewhere("a", Duration.ofMinutes(10));
        WaitBudget budget = WaitBudget.of(Duration.ofMillis(150));
        long from = System.nanoTime();

        for (int i = 0; i < 5; i++) {
            assertThat(DedupAdapter.of(dedup).admit(delivery(dedup, "a"), budget))
                    .isInstanceOf(Admission.Defer.class);
        }

        assertThat(budget.nanosLeft()).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - from)).isBetween(Duration.ofMillis(150), Duration.ofMinutes(1));
    }

    @Test
    void withoutABudgetThereIsOneCall() {
        Deduplicator dedup = deduplicator();
        claimElsewhere("a", Duration.ofMinutes(10));

        assertThat(DedupAdapter.of(dedup).admit(delivery(dedup, "a"), WaitBudget.none()))
                .isInstanceOf(Admission.Defer.class);
        assertThat(store.calls()).hasSize(1);
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofMinutes(10)));
        claimElsewhere("a", Duration.ofMinutes(10));
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            DedupOutcome<String> outcome = dedup.execute(key("a"), context -> "ran");
            interrupted.complete(
                    outcome instanceof Deferred && Thread.currentThread().isInterrupted());
        });
        thread.start();
        await().until(() -> store.calls(Op.CLAIM).size() > 1);
        thread.interrupt();

        assertThat(interrupted).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
        thread.join();
    }

    @Test
    @DisplayName("claims of a batch keep their leases while they wait for a neighbour")
    void heartbeatWhileWaiting() {
        FaultyStore running = new FaultyStore(new InMemoryDedupStore());
        Deduplicator dedup = deduplicator(
                running, policy -> policy.lease(Duration.ofMillis(250)).inFlightWait(Duration.ofSeconds(5)));
        // "a" is free at once, "b" becomes free while the batch waits, "c" is held all the time.
        Claim b = claim(running, "b", Duration.ofMinutes(10));
        claim(running, "c", Duration.ofMinutes(10));
        running.on(Op.CLAIM, (call, real) -> {
            if (running.calls(Op.CLAIM).size() == 2) {
                running.intact()
                        .release(List.of(new ReleaseRequest(b, ReleaseMode.STARTED)))
                        .get(0);
            }
            return real.apply(call.requests());
        });

        BatchAdmission batch = DedupAdapter.of(dedup)
                .admitAll(
                        List.of(delivery(dedup, "a"), delivery(dedup, "b"), delivery(dedup, "c")),
                        WaitBudget.of(Duration.ofSeconds(5)));

        assertThat(batch.admissions().get(0)).isInstanceOf(Admission.Run.class);
        assertThat(batch.admissions().get(2)).isInstanceOf(Admission.Defer.class);
        assertThat(batch.admissions().get(1)).isInstanceOfSatisfying(Admission.Run.class, run -> {
            await().until(() -> !run.execution().leaseLost());
            assertThat(running.calls(Op.RENEW))
                    .filteredOn(call -> call.keys().contains(key("b")))
                    .hasSizeGreaterThan(5);
        });
    }

    @Test
    @DisplayName("T4 a store error isn't a claim: it is asked again once, by the same owner, and then it is down")
    void storeErrorsAreAskedAgainOnce() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        store.on(Op.CLAIM, Faults.times(1, Faults.lostAnswer()));
        assertThat(dedup.execute(key("a"), DedupContext::attempt)).isEqualTo(new Handled<>(1, Completion.DONE));

        store.on(Op.CLAIM, Faults.down());
        assertThat(dedup.execute(key("b"), context -> "ran")).isInstanceOf(Deferred.class);
        assertThat(store.calls(Op.CLAIM)).hasSize(4);
    }

    @Test
    void ofABatchOnlyTheUndecidedAreAskedAgain() {
        Deduplicator dedup = deduplicator(policy -> policy.inFlightWait(Duration.ofSeconds(10)));
        store.on(Op.CLAIM, Faults.times(1, Faults.forKeys(key -> key.messageId().equals("b"))));

        dedup.executeAll(
                List.of("a", "b", "c"),
                DeduplicatorTestBase::key,
                items -> assertThat(items).hasSize(3));

        assertThat(store.calls(Op.CLAIM)).hasSize(2);
        assertThat(store.calls(Op.CLAIM).get(1).keys()).containsExactly(key("b"));
    }

    /** A run that goes on until it is ended. */
    private static final class OwnRun {
        private final CompletableFuture<Void> begun = new CompletableFuture<>();
        private final CompletableFuture<Void> end = new CompletableFuture<>();
        private final CompletableFuture<DedupOutcome<String>> outcome;

        OwnRun(Deduplicator dedup, String id) {
            outcome = CompletableFuture.supplyAsync(() -> dedup.execute(key(id), context -> {
                begun.complete(null);
                end.join();
                return "first";
            }));
            begun.join();
        }

        /** Returns when the run is settled. */
        void end(@Nullable Exception failure) {
            boolean unused = failure == null ? end.complete(null) : end.completeExceptionally(failure);
            await().until(outcome::isDone);
        }
    }

    private CompletableFuture<DedupOutcome<String>> waiting(Deduplicator dedup, String id) {
        return waiting(dedup, id, 2);
    }

    /** A copy that has asked the store so often. */
    private CompletableFuture<DedupOutcome<String>> waiting(Deduplicator dedup, String id, int claims) {
        CountDownLatch asked = new CountDownLatch(claims);
        store.on(Op.CLAIM, (call, real) -> {
            asked.countDown();
            return real.apply(call.requests());
        });
        CompletableFuture<DedupOutcome<String>> copy =
                CompletableFuture.supplyAsync(() -> dedup.execute(key(id), context -> "ran"));
        await().until(() -> asked.getCount() == 0);
        assertThat(copy).isNotDone();
        return copy;
    }

    private static Delivery delivery(Deduplicator dedup, String id) {
        return Delivery.of(dedup.topic(TOPIC), id, null, () -> "orders-0@1");
    }

    private Claim claimElsewhere(String id, Duration lease) {
        return claim(store, id, lease);
    }

    private static Claim claim(FaultyStore at, String id, Duration lease) {
        Acquired acquired = (Acquired) at.intact()
                .claim(List.of(new ClaimRequest(key(id), ELSEWHERE, lease)))
                .get(0);
        return new Claim(key(id), ELSEWHERE, acquired.attempt());
    }
}
