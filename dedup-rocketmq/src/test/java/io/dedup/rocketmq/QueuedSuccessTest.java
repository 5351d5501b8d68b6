package io.dedup.rocketmq;

import static io.dedup.rocketmq.PlayedBroker.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.doubles.WatchedStore;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A success that waits in the loop for a store that keeps an earlier completion. */
class QueuedSuccessTest {
    private static final Duration LEASE = Duration.ofMinutes(10); // so long that no renewal comes in between

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
    private final AtomicInteger completing = new AtomicInteger();
    private final CountDownLatch completions = new CountDownLatch(1);
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final PlayedBroker broker = new PlayedBroker();

    private Deduplicator process() {
        WatchedStore watched =
                new WatchedStore(new InMemoryDedupStore(now::get, InMemoryDedupStore.DEFAULT_ATTEMPT_RETENTION));
        watched.before("complete", requests -> {
            completing.incrementAndGet();
            completions.await();
        });
        return Deduplicators.builder(watched.store)
                .consumer("payments")
                .defaults(DedupPolicy.builder()
                        .lease(LEASE)
                        .maxProcessingTime(LEASE.multipliedBy(2))
                        .build())
                .build();
    }

    @Test
    @DisplayName("T5 a copy of a message that was handled is a duplicate, although its success still waits for the"
            + " completion of another and its lease has ended")
    void copyBesideABlockedCompletion() {
        try (Deduplicator dedup = process()) {
            SimpleConsumerLoop loop = RocketMqDedup.builder(dedup)
                    .id(RocketMqMessageIds.property("id"))
                    .build()
                    .loop(broker.consumer(), message -> {
                        handled.add(PlayedBroker.name(message));
                        return ConsumeResult.SUCCESS;
                    })
                    .concurrency(1)
                    .invisibleDuration(PlayedBroker.INVISIBLE)
                    .start();
            try {
                broker.deliver(message("first", "a", null));
                await().until(() -> completing.get() == 1);
                broker.deliver(message("second", "b", null));
                broker.deliver(message("third", "c", null));
                await().until(() -> handled.contains("third")); // the only thread has queued the second's success
                now.updateAndGet(before -> before.plus(LEASE).plusSeconds(1));
                broker.deliver(message("copy", "b", null));
                await().until(() -> handled.contains("copy") || broker.orders.contains("ack copy"));
                assertThat(handled).containsExactly("first", "second", "third");
                completions.countDown();
                await().untilAsserted(() -> assertThat(broker.orders)
                        .containsExactlyInAnyOrder("ack copy", "ack first", "ack second", "ack third"));
            } finally {
                completions.countDown();
                loop.close();
            }
        }
    }
}
