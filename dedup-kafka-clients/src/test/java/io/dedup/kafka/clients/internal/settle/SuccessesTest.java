package io.dedup.kafka.clients.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.engine.Deduplicators;
import io.dedup.store.StoredRecord.State;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.faults.FaultyStore;
import io.dedup.testkit.faults.StoreFault;
import io.dedup.testkit.faults.StoreFault.Operation;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Successes that are recorded together")
class SuccessesTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final FaultyStore store = FaultyStore.around(new InMemoryDedupStore());
    private final Deduplicator dedup = Deduplicators.builder(store)
            .consumer("successes")
            .shutdownTimeout(Duration.ZERO)
            .build();
    private final DedupAdapter engine = DedupAdapter.of(dedup);
    private final Successes successes = new Successes(engine, LONG);

    @AfterEach
    void close() {
        store.heal();
        dedup.close();
    }

    private Delivery delivery(String id) {
        return Delivery.of(dedup.topic("orders"), id, null, () -> "the record of " + id);
    }

    private void handled(String id) {
        Execution execution = ((Admission.Run) engine.admit(delivery(id), WaitBudget.none())).execution();
        execution.begin();
        successes.add(execution);
    }

    private boolean isDone(String id) {
        return store.find(dedup.key("orders", id)).orElseThrow().state() == State.DONE;
    }

    @Test
    @DisplayName("the store isn't called under the lock: while it hangs, the consumer's thread goes on")
    void callsNobodyUnderTheLock() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        store.inject(StoreFault.slow(LONG, Operation.COMPLETE).forKeys(key -> {
            asked.countDown();
            return true;
        }));
        handled("sent");
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue(); // by the background's call

        CompletableFuture.runAsync(() -> {
                    assertThat(successes.isCopyOfHandled(delivery("sent"))).isTrue();
                    assertThat(successes.isCopyOfHandled(delivery("other"))).isFalse();
                    handled("next");
                    assertThat(successes.isCopyOfHandled(delivery("next"))).isTrue();
                    successes.newPoll();
                })
                .get(20, TimeUnit.SECONDS);

        CompletableFuture<Void> recorded = CompletableFuture.runAsync(successes::record);
        store.heal();
        recorded.get(20, TimeUnit.SECONDS);
        assertThat(isDone("sent")).isTrue();
        assertThat(isDone("next")).isTrue();
    }
}
