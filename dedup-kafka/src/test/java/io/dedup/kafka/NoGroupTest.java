package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.DedupAdapter;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.KafkaMessageListenerContainer;
import org.springframework.kafka.support.TopicPartitionOffset;
import org.springframework.util.backoff.FixedBackOff;

/** The manual ack modes with assigned partitions and no group: nothing is committed, and nack means what it says. */
class NoGroupTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private KafkaMessageListenerContainer<String, String> start(Scene scene, AckMode mode, Object listener) {
        Map<String, Object> config = scene.consumerConfig();
        config.remove("group.id");
        var properties = new ContainerProperties(new TopicPartitionOffset(scene.topic, 0, 0L));
        properties.setAckMode(mode);
        properties.setPollTimeout(200);
        properties.setMessageListener(listener);
        var container = new KafkaMessageListenerContainer<String, String>(
                new DefaultKafkaConsumerFactory<>(config, new StringDeserializer(), new StringDeserializer()),
                properties);
        container.setCommonErrorHandler(new DefaultErrorHandler(
                (record, e) -> recovered.add(String.valueOf(record.value())), new FixedBackOff(0, 5)));
        return scene.start(container);
    }

    private void assertDone(Scene scene, String... ids) {
        await().untilAsserted(() -> {
            for (String id : ids) {
                assertThat(scene.store.find(scene.dedup.key(scene.topic, id)).map(record -> record.state()))
                        .hasValue(State.DONE);
            }
        });
        assertThat(recovered).isEmpty();
        assertThat(DedupAdapter.of(scene.dedup).inFlight()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K4 nack of a record releases it, and it runs again")
    void nackOfRecord(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            start(scene, mode, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                if (calls.incrementAndGet() == 1) {
                    ack.nack(Duration.ofMillis(10));
                    return;
                }
                scene.effect().accept(record);
            });
            scene.awaitEffects("a", "b");
            assertDone(scene, "a", "b");
            assertThat(scene.events).contains("released a");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K4 K6 nack(index) counts the handler's list: what is before is done, the rest runs again")
    void nackOfBatch(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.runningElsewhere("x").succeed(null, io.dedup.adapter.WaitBudget.none());
            scene.send("x", "a", "b", "c");
            start(scene, mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                if (calls.incrementAndGet() == 1) {
                    scene.effect().accept(records.get(0));
                    ack.nack(1, Duration.ofMillis(10));
                    return;
                }
                records.forEach(scene.effect());
            });
            scene.awaitEffects("a", "b", "c");
            assertDone(scene, "a", "b", "c");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K4 K6 nack(index) in a retry by the error handler")
    void nackInRetry(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            start(scene, mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("for once");
                }
                if (calls.get() == 2) {
                    scene.effect().accept(records.get(0));
                    ack.nack(1, Duration.ofMillis(10));
                    return;
                }
                records.forEach(scene.effect());
            });
            scene.awaitEffects("a", "b", "c");
            assertDone(scene, "a", "b", "c");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 acknowledge marks as done, and doesn't try to commit what cannot be committed")
    void acknowledge(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            start(scene, mode, (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                calls.incrementAndGet();
                scene.effect().accept(record);
                ack.acknowledge();
            });
            scene.awaitEffects("a", "b");
            assertDone(scene, "a", "b");
            assertThat(calls).hasValue(2);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 K6 the same for a batch, a part at a time")
    void acknowledgeBatch(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            start(scene, mode, (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                calls.incrementAndGet();
                records.forEach(scene.effect());
                if (records.size() > 1) {
                    ack.acknowledge(0);
                }
                ack.acknowledge();
            });
            scene.awaitEffects("a", "b", "c");
            assertDone(scene, "a", "b", "c");
            assertThat(calls).hasValue(1);
        }
    }
}
