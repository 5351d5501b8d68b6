package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.doubles.WatchedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/**
 * K17 on real rebalances, one after the other, while half of the partitions are held, messages flow on the others, and the store
 * takes its time.
 */
@Order(1) // takes long
@DisplayName("K17: nothing is lost in rebalances while partitions are held")
class RebalanceLossTest {
    private static final int PARTITIONS = 12;
    private static final int HELD_FROM = 6;
    private static final int JOINS = 3;
    /** More would only be waited for: without claims ahead a consumer takes 50 a second. */
    private static final int MOST_UNHANDLED = 200;

    private static final Map<String, Map<String, Object>> PROTOCOLS = Map.of(
            "cooperative", Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()),
            "eager", Map.of(),
            "consumer", Map.of("group.protocol", "consumer"));

    private static void takes(long millis) {
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
    }

    private static ContainerProperties properties(Scene scene, String shape, long handlerMillis) {
        MessageListener<String, String> records = record -> {
            takes(handlerMillis);
            scene.effect().accept(record);
        };
        AcknowledgingMessageListener<String, String> acknowledging = (record, acknowledgment) -> {
            records.onMessage(record);
            acknowledgment.acknowledge();
        };
        BatchMessageListener<String, String> batches = batch -> batch.forEach(records::onMessage);
        ContainerProperties properties = switch (shape) {
            case "record" -> scene.properties(AckMode.BATCH, records);
            case "manual" -> scene.properties(AckMode.MANUAL_IMMEDIATE, acknowledging);
            case "async acks" -> scene.properties(AckMode.MANUAL, acknowledging);
            default -> scene.properties(AckMode.BATCH, batches);
        };
        properties.setAsyncAcks(shape.equals("async acks"));
        return properties;
    }

    private static ConcurrentMessageListenerContainer<String, String> consumer(
            Scene scene, String protocol, ContainerProperties properties) {
        Map<String, Object> config = new HashMap<>(scene.consumerConfig());
        config.put("max.poll.records", 20);
        config.putAll(PROTOCOLS.get(protocol));
        if (protocol.equals("consumer")) { // the broker decides about these
            config.keySet().removeAll(List.of("session.timeout.ms", "heartbeat.interval.ms"));
        }
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                config, new StringDeserializer(), new StringDeserializer());
        var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    @ParameterizedTest(name = "{0}, {1}, claimed ahead {2}")
    @CsvSource({
        "cooperative, record, true",
        "cooperative, record, false",
        "cooperative, batch, false",
        "cooperative, manual, true",
        "cooperative, async acks, true",
        "consumer, record, true",
        "eager, record, true"
    })
    void nothingIsLost(String protocol, String shape, boolean claimAhead) throws InterruptedException {
        WatchedStore watched = new WatchedStore(Scene.memory());
        watched.before("claim", () -> takes(20));
        try (Scene scene = new Scene(watched.store, PARTITIONS, policy -> policy.lease(Duration.ofSeconds(30)))) {
            scene.claimAhead(claimAhead);
            List<Execution> elsewhere = new ArrayList<>();
            for (int partition = HELD_FROM; partition < PARTITIONS; partition++) {
                elsewhere.add(scene.runningElsewhere("held" + partition));
                scene.sendTo(partition, "held" + partition);
            }
            scene.start(consumer(scene, protocol, properties(scene, shape, 0)));
            var slow = scene.start(consumer(scene, protocol, properties(scene, "record", 40)));
            List<String> sent = new CopyOnWriteArrayList<>();
            AtomicBoolean stop = new AtomicBoolean();
            Thread sender = new Thread(() -> {
                for (int n = 0; !stop.get(); n++) {
                    for (int partition = 0; partition < HELD_FROM; partition++) {
                        String id = "m" + n + "-" + partition;
                        scene.sendTo(partition, id);
                        sent.add(id);
                    }
                    do {
                        takes(5);
                    } while (!stop.get() && sent.size() - scene.effects.size() > MOST_UNHANDLED);
                }
            });
            sender.start();
            for (int i = 0; i < JOINS; i++) {
                var third = consumer(scene, protocol, properties(scene, shape, 0));
                scene.start(third);
                await().until(() -> third.getAssignedPartitions() != null
                        && !third.getAssignedPartitions().isEmpty());
                int before = sent.size();
                await().until(() -> sent.size() > before + 200);
                third.stop();
            }
            stop.set(true);
            sender.join();
            slow.stop();
            elsewhere.forEach(
                    Execution::giveBack); // what was dropped while partitions were held doesn't come by itself
            // A member that could not say goodbye to a busy broker keeps its partitions for 45 s.
            await().untilAsserted(() -> assertThat(scene.effects).containsAll(sent));
            assertThat(scene.effects).doesNotHaveDuplicates();
        }
    }
}
