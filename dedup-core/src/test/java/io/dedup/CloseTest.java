package io.dedup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.Deferred;
import io.dedup.DedupOutcome.Handled;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord.State;
import io.dedup.support.DeduplicatorTestBase;
import io.dedup.support.Faults;
import io.dedup.support.FaultyStore.Op;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ExecutionMode;

@SuppressWarnings("EqualsIncompatibleType") // outcomes that carry no value compare equal whatever its type
@org.junit.jupiter.api.parallel.Execution(ExecutionMode.CONCURRENT)
class CloseTest extends DeduplicatorTestBase {
    @Test
    void admitsNothingAnyMore() {
        Deduplicator dedup = deduplicator();
        dedup.close();

        Deferred<String> closed = new Deferred<>(DeferReason.CLOSED, Duration.ofSeconds(1), null);
        assertThat(dedup.execute(key("a"), context -> "must not run")).isEqualTo(closed);
        assertThat(dedup.executeAll(List.of("a", "a"), DeduplicatorTestBase::key, items -> {}))
                .hasSize(2)
                .allMatch(outcome -> outcome.equals(closed));
        assertThat(store.calls()).isEmpty();
        assertThat(events.count("deferred a CLOSED")).isEqualTo(3);
    }

    @Test
    @DisplayName("a claim that is made while close() begins is given back, and its handler isn't run")
    void claimedTooLate() {
        Deduplicator dedup = deduplicator();
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answer = real.apply(call.requests());
            dedup.close();
            return answer;
        });

        assertThat(dedup.execute(key("a"), context -> "must not run"))
                .isInstanceOfSatisfying(
                        Deferred.class,
                        deferred -> assertThat(deferred.reason()).isEqualTo(DeferReason.CLOSED));
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(record("a").attempt()).isZero();
    }

    @Test
    void aBatchThatIsClaimedTooLateIsGivenBackWithItsCopies() {
        Deduplicator dedup = deduplicator();
        store.on(Op.CLAIM, (call, real) -> {
            List<?> answer = real.apply(call.requests());
            dedup.close();
            return answer;
        });

        assertThat(dedup.executeAll(List.of("a", "b", "a"), DeduplicatorTestBase::key, items -> {
                    throw new AssertionError("run");
                }))
                .hasSize(3)
                .noneMatch(DedupOutcome::mayAck);
        assertThat(stateOf("a")).isEqualTo(State.RELEASED);
        assertThat(stateOf("b")).isEqualTo(State.RELEASED);
    }

    @Test
    void aHandlerThatOutlivesTheTimeoutIsStillRecorded() {
        Deduplicator dedup = deduplicator();

        DedupOutcome<String> outcome = dedup.execute(key("a"), context -> {
            dedup.close();
            return "effect";
        });

        assertThat(outcome).isEqualTo(new Handled<>("effect", Completion.DONE));
    }

    @Test
    @DisplayName("what cannot be recorded until the end is dropped, and all of it is told")
    void whatIsLeftIsTold() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down());
        for (int i = 0; i < 1_200; i++) {
            dedup.execute(key("m" + i), context -> "");
        }
        dedup.close();

        assertThat(events.all())
                .filteredOn(event -> event.startsWith("dropped"))
                .hasSize(1_200);
        assertThat(DedupAdapter.of(dedup).pendingCompletions()).isZero();
        dedup.close();
        assertThat(events.all())
                .filteredOn(event -> event.startsWith("dropped"))
                .hasSize(1_200);
    }

    @Test
    void whatTheStoreTakesAtTheEndIsRecorded() {
        Deduplicator dedup = deduplicator();
        store.on(Op.COMPLETE, Faults.down());
        dedup.execute(key("a"), context -> "");
        await().until(() -> store.calls(Op.COMPLETE).size() >= 4);
        store.heal();
        dedup.close();

        assertThat(stateOf("a")).isEqualTo(State.DONE);
    }

    @Test
    @DisplayName("a completion that fails after the end is told as dropped")
    void afterTheEnd() {
        Deduplicator dedup = deduplicator();
        Admission admission =
                DedupAdapter.of(dedup).admit(Delivery.of(dedup.topic(TOPIC), "a", null, () -> "x"), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        dedup.close();
        store.down();

        assertThat(execution.succeed(null, WaitBudget.none())).isEqualTo(Completion.PENDING);
        assertThat(events.all()).endsWith("dropped a");
    }

    @Test
    @DisplayName("T6 an interrupted close() ends at once and keeps the flag")
    void interrupted() throws Exception {
        Deduplicator dedup =
                deduplicator(store, policy -> policy, builder -> builder.shutdownTimeout(Duration.ofHours(1)));
        CountDownLatch started = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread handler = new Thread(() -> dedup.execute(key("a"), context -> {
            started.countDown();
            await().until(() -> mayEnd.getCount() == 0);
            return "";
        }));
        handler.start();
        started.await();
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread closing = new Thread(() -> {
            dedup.close();
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        closing.start();
        closing.interrupt();

        assertThat(interrupted).succeedsWithin(Duration.ofSeconds(10)).isEqualTo(true);
        mayEnd.countDown();
        handler.join();
        closing.join();
    }

    @Test
    void itsThreadsEnd() {
        String name = "named-" + System.nanoTime(); // others have threads at the same time
        DedupStore named = (DedupStore) Proxy.newProxyInstance(
                DedupStore.class.getClassLoader(),
                new Class<?>[] {DedupStore.class},
                (self, method, arguments) -> method.getName().equals("name") ? name : method.invoke(store, arguments));
        Deduplicator dedup = deduplicator(named, policy -> policy);
        assertThat(dedupThreads(name)).isPositive();
        dedup.close();

        await().until(() -> dedupThreads(name) == 0);
    }

    private static long dedupThreads(String store) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("dedup-timer-" + store)
                        || thread.getName().equals("dedup-background-" + store))
                .count();
    }
}
