package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.store.StoredRecord.State;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.RetryListener;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** The error handler runs a failed poll again in a loop of its own, and commits it all when the listener returns. */
class BatchRetryTest {
    private final List<List<String>> calls = new CopyOnWriteArrayList<>();
    private final List<Acknowledgment> acks = new CopyOnWriteArrayList<>();
    private final List<String> recovered = new CopyOnWriteArrayList<>();

    private DefaultErrorHandler errorHandler() {
        return new DefaultErrorHandler(
                (record, e) -> recovered.add(String.valueOf(record.value())), new FixedBackOff(0, 5));
    }

    /** Fails the first time, naming no record; then does as the test says. */
    private BatchAcknowledgingMessageListener<String, String> failingOnce(
            BatchAcknowledgingMessageListener<String, String> then) {
        return (records, ack) -> {
            calls.add(records.stream().map(Scene::id).toList());
            if (calls.size() == 1) {
                throw new IllegalStateException("for once");
            }
            then.onMessage(records, ack);
        };
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K4 K6 nack in a retry: what is before is done and committed, the rest comes again")
    void nack(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            var container = scene.container(mode, failingOnce((records, ack) -> {
                if (calls.size() == 2) {
                    scene.effect().accept(records.get(0));
                    ack.nack(1, Duration.ofMillis(10));
                    return;
                }
                records.forEach(scene.effect());
                ack.acknowledge();
            }));
            container.setCommonErrorHandler(errorHandler());
            scene.start(container);
            scene.awaitEffects("a", "b", "c");
            scene.awaitCommitted(3);
            assertThat(calls).containsExactly(List.of("a", "b", "c"), List.of("a", "b", "c"), List.of("b", "c"));
            scene.send("d", "e"); // the container doesn't remember the nack for a later poll
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d", "e");
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K4 K6 nack in a retry of which a record is in flight elsewhere: nothing from there on is committed")
    void nackBeforeCut(AckMode mode) {
        try (Scene scene = new Scene()) {
            AtomicReference<Execution> elsewhere = new AtomicReference<>();
            scene.send("a", "b", "x", "c");
            var container = scene.container(mode, failingOnce((records, ack) -> {
                if (calls.size() == 2) {
                    ack.nack(1, Duration.ofMillis(10));
                    return;
                }
                records.forEach(scene.effect());
                ack.acknowledge();
            }));
            DefaultErrorHandler errorHandler = errorHandler();
            errorHandler.setRetryListeners(new RetryListener() {
                @Override
                public void failedDelivery(ConsumerRecord<?, ?> record, Exception thrown, int attempt) {}

                @Override
                public void failedDelivery(ConsumerRecords<?, ?> records, Exception thrown, int attempt) {
                    elsewhere.compareAndSet(null, scene.runningElsewhere("x"));
                }
            });
            container.setCommonErrorHandler(errorHandler);
            scene.start(container);
            await().until(() -> scene.deferrals.size() >= 3);
            scene.awaitEffects("b");
            scene.awaitCommitted(2);
            elsewhere.get().fail(new IllegalStateException("elsewhere"));
            scene.awaitEffects("b", "x", "c");
            scene.awaitCommitted(4);
            assertThat(calls)
                    .containsExactly(List.of("a", "b", "x", "c"), List.of("a", "b"), List.of("b"), List.of("x", "c"));
            assertThat(recovered).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K5 a retry that returns before it has acknowledged commits nothing; its acknowledgment does, later")
    void acknowledgedLater(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            var container = scene.container(mode, failingOnce((records, ack) -> {
                records.forEach(scene.effect());
                acks.add(ack); // a worker has them
            }));
            container.setCommonErrorHandler(errorHandler());
            scene.start(container);
            scene.awaitEffects("a", "b");
            await().during(Duration.ofMillis(400))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> assertThat(scene.committed()).isEmpty());
            assertThat(state(scene, "a")).isEqualTo(State.PROCESSING);
            acks.get(0).acknowledge();
            assertThat(state(scene, "a")).isEqualTo(State.DONE);
            scene.awaitCommitted(2);
            assertThat(calls).hasSize(2);
            assertThat(recovered).isEmpty();
        }
    }

    @Test
    @DisplayName("K5 a retry that acknowledges only a part of the poll: that part is committed, the rest later")
    void acknowledgedInPart() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            var container = scene.container(AckMode.MANUAL_IMMEDIATE, failingOnce((records, ack) -> {
                records.forEach(scene.effect());
                ack.acknowledge(0);
                acks.add(ack);
            }));
            container.setCommonErrorHandler(errorHandler());
            scene.start(container);
            scene.awaitEffects("a", "b");
            await().during(Duration.ofMillis(400))
                    .atMost(Scene.PATIENCE)
                    .untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(0, 1L)));
            assertThat(state(scene, "b")).isEqualTo(State.PROCESSING);
        }
    }

    private static State state(Scene scene, String id) {
        return scene.store.find(scene.dedup.key(scene.topic, id)).orElseThrow().state();
    }
}
