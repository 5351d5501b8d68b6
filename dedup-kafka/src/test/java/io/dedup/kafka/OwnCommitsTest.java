package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Execution;
import io.dedup.policy.DedupMode;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.ConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** Listeners that commit by their container's consumer, as their application could without dedup. */
class OwnCommitsTest {
    private final List<String> early = new CopyOnWriteArrayList<>();

    private static Map<TopicPartition, OffsetAndMetadata> behind(ConsumerRecord<?, ?> record) {
        return Map.of(
                new TopicPartition(record.topic(), record.partition()), new OffsetAndMetadata(record.offset() + 1));
    }

    private void requireUncommitted(Scene scene, ConsumerRecord<?, ?> record) {
        if (scene.committed().getOrDefault(record.partition(), 0L) > record.offset()) {
            early.add(Scene.id(record));
        }
    }

    /** Without dedup the service's transaction has committed by then; with it, it is part of one that is still open. */
    @ParameterizedTest
    @CsvSource({
        "TRANSACTIONAL, RECORD, true",
        "LEASED_TRANSACTIONAL, BATCH, false",
        "TIERED, MANUAL, true",
        "TRANSACTIONAL, MANUAL_IMMEDIATE, false"
    })
    @DisplayName("in a transactional mode nothing is committed before its transaction, whoever commits")
    void withinATransaction(DedupMode mode, AckMode ackMode, boolean namesOffsets) {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(mode)) {
            scene.send("a", "b", "c");
            AtomicBoolean failed = new AtomicBoolean();
            AcknowledgingConsumerAwareMessageListener<String, String> listener = (record, ack, consumer) -> {
                ledger.effect(Scene.id(record));
                if (namesOffsets) {
                    consumer.commitSync(behind(record));
                } else {
                    consumer.commitSync();
                }
                requireUncommitted(scene, record);
                if (Scene.id(record).equals("b") && failed.compareAndSet(false, true)) {
                    throw new IllegalStateException("after its commit");
                }
                if (ack != null) {
                    ack.acknowledge();
                }
            };
            var container = scene.container(ackMode, listener);
            container.setCommonErrorHandler(new DefaultErrorHandler(new FixedBackOff(0, 3)));
            scene.runUntilCommitted(container);

            assertThat(early).isEmpty();
            assertThat(failed).isTrue();
            assertThat(ledger.effects()).containsExactly("a", "b", "c");
        }
    }

    /** The handler has all that it was given, but its poll went on: with a record that another process has, and those behind it. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    @DisplayName("T2 a batch that commits its consumer's positions commits nothing that it wasn't given")
    void batchEndsBeforeARecordInFlight(boolean sync, boolean namesThem) {
        try (Scene scene = new Scene()) {
            TopicPartition partition = new TopicPartition(scene.topic, 0);
            Execution elsewhere = scene.runningElsewhere("b");
            scene.send("a", "b", "c");
            List<Long> committed = new CopyOnWriteArrayList<>();
            BatchConsumerAwareMessageListener<String, String> listener = (batch, consumer) -> {
                batch.forEach(scene.effect());
                OffsetCommitCallback noting = (offsets, failure) ->
                        committed.add(offsets.get(partition).offset());
                Map<TopicPartition, OffsetAndMetadata> position =
                        Map.of(partition, new OffsetAndMetadata(consumer.position(partition)));
                if (!sync && namesThem) {
                    consumer.commitAsync(position, noting);
                } else if (!sync) {
                    consumer.commitAsync(noting);
                } else if (namesThem) {
                    consumer.commitSync(position);
                } else {
                    consumer.commitSync();
                }
                if (sync) {
                    committed.add(scene.committed().get(0));
                }
            };
            var container = scene.container(AckMode.BATCH, listener);
            scene.start(container);
            scene.awaitEffects("a");
            await().until(() -> !committed.isEmpty());
            container.stop();
            assertThat(committed).containsOnly(1L);
            assertThat(scene.committed()).containsEntry(0, 1L);

            elsewhere.fail(new IllegalStateException("failed"));
            scene.runUntilCommitted(scene.container(AckMode.BATCH, listener));
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("what a batch begins with, and isn't given because it is a duplicate, holds no commit of its own back")
    void batchBeginsWithADuplicate(boolean namesOffsets) {
        try (Scene scene = new Scene()) {
            BatchConsumerAwareMessageListener<String, String> listener = (batch, consumer) -> {
                batch.forEach(scene.effect());
                ConsumerRecord<?, ?> last = batch.get(batch.size() - 1);
                if (namesOffsets) {
                    consumer.commitSync(behind(last));
                } else {
                    consumer.commitSync();
                }
                if (scene.committed().get(0) != last.offset() + 1) {
                    early.add(Scene.id(last));
                }
            };
            scene.send("a");
            scene.runUntilCommitted(scene.container(AckMode.BATCH, listener));
            scene.send("a", "b", "c");
            scene.runUntilCommitted(scene.container(AckMode.BATCH, listener));
            assertThat(early).isEmpty();
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    @Test
    @DisplayName(
            "a record listener that commits its consumer's positions commits its record, and none that is behind it in the poll")
    void recordsBehindInThePoll() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            ConsumerAwareMessageListener<String, String> listener = (record, consumer) -> {
                scene.effect().accept(record);
                consumer.commitSync();
                if (scene.committed().get(0) != record.offset() + 1) {
                    early.add(Scene.id(record));
                }
            };
            scene.runUntilCommitted(scene.container(AckMode.BATCH, listener));
            assertThat(early).isEmpty();
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }

    @Test
    @DisplayName("in a manual ack mode, a commit is no acknowledgment")
    void unacknowledged() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            AcknowledgingConsumerAwareMessageListener<String, String> listener = (record, ack, consumer) -> {
                scene.effect().accept(record);
                commit(consumer, record);
                requireUncommitted(scene, record);
                ack.acknowledge();
            };
            scene.runUntilCommitted(scene.container(AckMode.MANUAL, listener));
            assertThat(early).isEmpty();
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }

    private static void commit(Consumer<?, ?> consumer, ConsumerRecord<?, ?> record) {
        if (record.offset() == 0) {
            consumer.commitSync(behind(record));
        } else {
            consumer.commitSync();
        }
    }
}
