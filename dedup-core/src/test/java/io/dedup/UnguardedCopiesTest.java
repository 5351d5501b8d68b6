package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Duplicate;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore;
import io.dedup.support.FaultyStore.Op;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PROCESS: no two copies of a message run side by side in one process, whatever the store answers or doesn't. */
class UnguardedCopiesTest extends DeduplicatorTestBase {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Deduplicator dedup = processing(store, Duration.ofSeconds(30));
    private final CompletableFuture<String> work = new CompletableFuture<>();

    private Deduplicator processing(FaultyStore at, Duration lease) {
        return deduplicator(at, policy -> policy.lease(lease).onStoreFailure(OnStoreFailure.PROCESS));
    }

    /** A run that goes on until {@link #work} ends. */
    private CompletionStage<DedupOutcome<String>> begin(Deduplicator process) {
        return process.executeAsync(DedupCall.of(key("a")), context -> work);
    }

    private static void isDeferredBesideTheOther(DedupOutcome<String> outcome) {
        assertThat(outcome)
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT));
    }

    @Test
    @DisplayName("a copy waits for the end of a run that the store knows nothing of, and is its duplicate then")
    void besideAnUnguardedRun() {
        store.down();
        CompletionStage<DedupOutcome<String>> first = begin(dedup);
        assertThat(DedupAdapter.of(dedup).inFlight()).isOne();
        assertThat(DedupAdapter.of(dedup).isHandling(key("a"))).isTrue();

        isDeferredBesideTheOther(dedup.execute(key("a"), context -> "must not run"));

        work.complete("effect");
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.UNGUARDED));
        assertThat(DedupAdapter.of(dedup).inFlight()).isZero();
        assertThat(dedup.execute(key("a"), context -> "must not run")).isInstanceOf(Duplicate.class);
    }

    @Test
    void whatHasFailedMayRunAgain() {
        store.down();
        CompletionStage<DedupOutcome<String>> first = begin(dedup);
        work.completeExceptionally(new IllegalStateException("no effect"));
        assertThat(first).failsWithin(PATIENCE);

        assertThat(dedup.execute(key("a"), context -> "effect"))
                .isEqualTo(new Handled<>("effect", Completion.UNGUARDED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a copy that the store grants a claim, because it answers again, gives the claim back")
    void theStoreAnswersAgain(boolean batch) {
        store.down();
        CompletionStage<DedupOutcome<String>> first = begin(dedup);
        store.heal();

        if (batch) {
            assertThat(dedup.executeAll(
                            List.of("b", "a"),
                            DeduplicatorTestBase::key,
                            items -> assertThat(items).hasSize(1)))
                    .extracting(outcome -> outcome.getClass().getSimpleName())
                    .containsExactly("Handled", "Deferred");
        } else {
            isDeferredBesideTheOther(dedup.execute(key("a"), context -> "must not run"));
        }
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(record("a").attempt()).isZero();

        work.complete("effect");
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.UNGUARDED));
        await().until(() -> stateOf("a") == State.DONE);
        assertThat(dedup.execute(key("a"), context -> "must not run")).isInstanceOf(Duplicate.class);
    }

    @Test
    @DisplayName(
            "a claim made ahead, which the store granted while an unguarded run goes on, is given back at its turn")
    void claimedAhead() {
        store.down();
        CompletionStage<DedupOutcome<String>> first = begin(dedup);
        store.heal();
        DedupAdapter engine = DedupAdapter.of(dedup);
        Delivery copy = Delivery.of(dedup.topic(TOPIC), "a", null, () -> "orders-1@4");

        Admission admission =
                engine.ahead().admit(engine.ahead().claim(List.of(copy)).get(0), WaitBudget.none());

        assertThat(admission)
                .isInstanceOfSatisfying(
                        Admission.Defer.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.IN_FLIGHT));
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        work.complete("effect");
        assertThat(first).succeedsWithin(PATIENCE);
    }

    @Test
    @DisplayName("a claim that was granted before the run ended records its success, and doesn't run")
    void endsBeforeTheCopyIsDecided() {
        store.down();
        CompletionStage<DedupOutcome<String>> first = begin(dedup);
        store.on(Op.CLAIM, (call, real) -> {
            List<?> granted = real.apply(call.requests());
            store.heal();
            work.complete("effect");
            assertThat(first).succeedsWithin(PATIENCE);
            return granted;
        });

        assertThat(dedup.execute(key("a"), context -> "must not run")).isInstanceOf(Duplicate.class);
        await().until(() -> stateOf("a") == State.DONE);
    }

    @Test
    @DisplayName("an outage that outlasts the lease of a guarded run changes nothing: the run goes on")
    void besideAGuardedRunWhoseLeaseIsOver() {
        FaultyStore running = new FaultyStore(new InMemoryDedupStore());
        Deduplicator process = processing(running, Duration.ofMillis(300));
        CompletionStage<DedupOutcome<String>> first = begin(process);
        running.down();
        await().until(() -> events.count("lost a") == 1);

        isDeferredBesideTheOther(process.execute(key("a"), context -> "must not run"));

        running.heal();
        work.complete("effect");
        assertThat(first).succeedsWithin(PATIENCE).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    @DisplayName("of copies that come at the same moment, one runs")
    void atTheSameMoment() {
        store.down();
        int threads = 4;
        for (int round = 0; round < 200; round++) {
            String id = "m" + round;
            CyclicBarrier together = new CyclicBarrier(threads);
            AtomicInteger ran = new AtomicInteger();
            CompletableFuture<Void> end = new CompletableFuture<>();
            List<CompletableFuture<DedupOutcome<String>>> copies = IntStream.range(0, threads)
                    .mapToObj(i -> CompletableFuture.supplyAsync(
                            () -> {
                                meet(together);
                                return dedup.execute(key(id), context -> {
                                    ran.incrementAndGet();
                                    end.join();
                                    return "effect";
                                });
                            },
                            runnable -> new Thread(runnable).start()))
                    .toList();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() ->
                            copies.stream().filter(CompletableFuture::isDone).count() >= threads - 1);
            end.complete(null);
            assertThat(copies).allSatisfy(copy -> assertThat(copy).succeedsWithin(PATIENCE));
            assertThat(ran).hasValue(1);
        }
    }

    private static void meet(CyclicBarrier others) {
        try {
            others.await();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @DisplayName("K18 an unguarded run that nobody settles stops no copy after maxProcessingTime, and isn't in flight")
    void neverSettled() {
        Duration lease = Duration.ofMillis(300);
        Deduplicator process = deduplicator(
                store, policy -> policy.lease(lease).maxProcessingTime(lease).onStoreFailure(OnStoreFailure.PROCESS));
        store.down();
        CompletionStage<DedupOutcome<String>> unused = begin(process);

        await().until(() -> DedupAdapter.of(process).inFlight() == 0);
        assertThat(events.count("lost a")).isZero();
        assertThat(store.calls(Op.RENEW)).isEmpty();
        assertThat(process.execute(key("a"), context -> "effect"))
                .isEqualTo(new Handled<>("effect", Completion.UNGUARDED));
    }

    @Test
    @DisplayName("closing waits for unguarded runs as for others")
    void close() {
        Deduplicator process = deduplicator(
                store,
                policy -> policy.onStoreFailure(OnStoreFailure.PROCESS),
                builder -> builder.shutdownTimeout(PATIENCE));
        store.on(Op.CLAIM, Faults.times(1, Faults.down()));
        CompletionStage<DedupOutcome<String>> first = begin(process);
        CompletableFuture<Void> closing = CompletableFuture.runAsync(() -> Deduplicators.closeAll(List.of(process)));
        await().until(() -> process.execute(key("b"), context -> "") instanceof Deferred);
        assertThat(closing).isNotDone();

        work.complete("effect");
        assertThat(closing).succeedsWithin(PATIENCE);
        assertThat(first).succeedsWithin(PATIENCE);
        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }
}
