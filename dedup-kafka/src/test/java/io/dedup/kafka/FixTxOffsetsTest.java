package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/** With fixTxOffsets the container commits its consumer's position, in order to pass the markers of transactions. */
@DisplayName("K17: fixTxOffsets commits positions behind markers, and none behind records that nobody has handled")
class FixTxOffsetsTest {
    private final List<String> early = new CopyOnWriteArrayList<>();
    private final AtomicBoolean logStartIsUnknown = new AtomicBoolean();

    /** Records commits that pass more records than took effect; IDs begin with the number of their partition. */
    private ConcurrentMessageListenerContainer<String, String> container(Scene scene, ContainerProperties properties) {
        properties.setFixTxOffsets(true);
        return FaultyConsumers.container(scene, properties, Map.of(), (method, argument) -> {
            if (method.startsWith("commit") && argument instanceof Map<?, ?> offsets) {
                offsets.forEach((partition, offset) -> {
                    String prefix = String.valueOf(((TopicPartition) partition).partition());
                    long handled = scene.effects.stream()
                            .filter(id -> id.startsWith(prefix))
                            .count();
                    if (((OffsetAndMetadata) offset).offset() > handled) {
                        early.add(partition + " at " + offset + " after " + scene.effects);
                    }
                });
            }
            if (method.equals("beginningOffsets") && logStartIsUnknown.compareAndSet(true, false)) {
                throw new TimeoutException("the broker doesn't say where the log begins");
            }
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K17 the container stops in the middle of a poll (stopImmediate), or before its batch was handled")
    void stopped(boolean batch) {
        try (Scene scene = new Scene()) {
            scene.commitTheBegin(1);
            AtomicReference<ConcurrentMessageListenerContainer<String, String>> running = new AtomicReference<>();
            AtomicBoolean stopped = new AtomicBoolean();
            AtomicBoolean once = new AtomicBoolean(true);
            FailingInterceptors interceptors = new FailingInterceptors(() -> {
                running.get().stop(() -> stopped.set(true));
                return new IllegalStateException("an operator stops the container, and an interceptor fails");
            });
            MessageListener<String, String> records = record -> {
                scene.effect().accept(record);
                if (!batch && once.getAndSet(false)) {
                    running.get().stop(() -> stopped.set(true));
                }
            };
            BatchMessageListener<String, String> batches = all -> all.forEach(records::onMessage);
            ContainerProperties properties =
                    scene.properties(batch ? AckMode.BATCH : AckMode.RECORD, batch ? batches : records);
            properties.setStopImmediate(true);
            var container = container(scene, properties);
            running.set(container);
            if (batch) {
                container.setBatchInterceptor(interceptors.beforeBatch());
            }
            scene.send("0a", "0b", "0c");
            scene.start(container);
            await().untilTrue(stopped);
            assertThat(scene.effects).hasSize(batch ? 0 : 1);
            assertThat(scene.committed()).isEqualTo(Map.of(0, batch ? 0L : 1L));
            container.start();
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("0a", "0b", "0c");
            assertThat(early).isEmpty();
        }
    }

    @Test
    @DisplayName("K17 dropped records cannot be fetched again yet, because the broker doesn't say where the log begins")
    void logStartIsUnknown() {
        try (Scene scene = new Scene()) {
            FailingInterceptors interceptors = new FailingInterceptors(() -> {
                logStartIsUnknown.set(true);
                return new IllegalStateException("an interceptor fails");
            });
            var container = container(
                    scene, scene.properties(AckMode.RECORD, (MessageListener<String, String>) scene.effect()::accept));
            container.setRecordInterceptor(interceptors.after("0b"));
            scene.send("0a", "0b", "0c", "0d");
            scene.start(container);
            scene.awaitEffects("0a", "0b", "0c", "0d");
            scene.awaitCommitted(4);
            assertThat(logStartIsUnknown).isFalse();
            assertThat(early).isEmpty();
        }
    }

    @Test
    @DisplayName("K17 the container hands out a poll partition by partition (subBatchPerPartition)")
    void subBatches() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.commitTheBegin(2);
            BatchMessageListener<String, String> listener = batch -> batch.forEach(scene.effect());
            ContainerProperties properties = scene.properties(AckMode.BATCH, listener);
            properties.setSubBatchPerPartition(true);
            for (String id : List.of("a", "b", "c")) {
                scene.sendTo(0, "0" + id);
                scene.sendTo(1, "1" + id);
            }
            scene.start(container(scene, properties));
            scene.awaitEffectsOf("0a", "0b", "0c", "1a", "1b", "1c");
            scene.awaitAllCommitted();
            assertThat(early).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K17 markers are passed, with and without a Kafka transaction of the listener")
    void markersArePassed(boolean inTransaction) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            MessageListener<String, String> listener = scene.effect()::accept;
            var container = inTransaction
                    ? transactions.container(AckMode.BATCH, listener)
                    : scene.container(AckMode.BATCH, listener);
            container.getContainerProperties().setFixTxOffsets(true);
            scene.start(container);
            for (String id : List.of("a", "b")) {
                Boolean sent = transactions.template.executeInTransaction(operations -> {
                    var unused = operations.send(scene.record(0, id.getBytes(StandardCharsets.UTF_8), "v"));
                    return true;
                });
                assertThat(sent).isTrue();
                scene.awaitCommitted(id.equals("a") ? 2 : 4); // behind the marker
            }
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }
}
