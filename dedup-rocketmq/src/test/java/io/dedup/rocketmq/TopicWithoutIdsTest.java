package io.dedup.rocketmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A loop with a topic none of whose messages has an ID, more of them than the loop may have open, and another topic. */
class TopicWithoutIdsTest {
    private static final int CAPACITY = 4;

    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final PlayedBroker broker = new PlayedBroker();
    private final InMemoryDedupStore store = new InMemoryDedupStore();
    private final Deduplicator dedup = Deduplicators.builder(store)
            .consumer("payments")
            .defaults(DedupPolicy.builder()
                    .lease(Duration.ofSeconds(30))
                    .maxProcessingTime(Duration.ofMinutes(5))
                    .missingIdLimit(1)
                    .build())
            .build();
    private SimpleConsumerLoop loop;

    @BeforeEach
    void start() {
        loop = RocketMqDedup.builder(dedup)
                .id(RocketMqMessageIds.property("id"))
                .build()
                .loop(broker.consumer(), message -> {
                    handled.add(PlayedBroker.name(message));
                    return ConsumeResult.SUCCESS;
                })
                .concurrency(CAPACITY / 2)
                .batchSize(CAPACITY / 2)
                .invisibleDuration(PlayedBroker.INVISIBLE)
                .retryDelay(attempt -> Duration.ofSeconds(7))
                .start();
    }

    @AfterEach
    void close() {
        loop.close();
        dedup.close();
        store.close();
    }

    private static MessageView message(String topic, String name, @Nullable String id) {
        Map<String, String> properties = new HashMap<>(Map.of("name", name));
        if (id != null) {
            properties.put("id", id);
        }
        return new PlayedMessage(topic, properties, List.of(), "");
    }

    private void awaitOrder(String order) {
        await().until(() -> broker.orders.contains(order));
    }

    @Test
    @DisplayName("they leave room for the other topic, and for the message with an ID that ends their wait")
    void leavesRoom() {
        for (int i = 0; i < 2 * CAPACITY; i++) {
            broker.deliver(message("no-ids", "old-" + i, null));
        }
        broker.deliver(message("healthy", "other", "a"));
        awaitOrder("ack other");
        for (int i = 0; i < 2 * CAPACITY; i++) {
            awaitOrder("back old-" + i + " PT6M"); // as long as another may wait here, and a lease
        }

        broker.deliver(message("no-ids", "good", "b"));
        awaitOrder("ack good");
        broker.deliver(message("no-ids", "old-again", null));
        awaitOrder("back old-again PT7S"); // rejected
        assertThat(handled).containsExactlyInAnyOrder("other", "good");
        assertThat(loop.openMessages()).isZero();
    }

    @Test
    @DisplayName("in a message group, one goes back with what is behind it, so that its group stays in order")
    void inAMessageGroup() {
        broker.deliver(PlayedBroker.message("old", " ", "one"), PlayedBroker.message("behind", "a", "one"));
        awaitOrder("back old PT6M");
        awaitOrder("back behind PT6M");
        assertThat(handled).isEmpty();
    }
}
