package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.internal.spring.PollResults;
import io.dedup.policy.DedupMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.support.Acknowledgment;
import org.springframework.util.backoff.FixedBackOff;

/** Polls of which a {@code BatchInterceptor} leaves nothing, with our decorator and without it. */
class EmptyBatchTest {
    private static final String DROPPED = "dropped";

    /** Kinds of batch listeners that we decorate in different ways. */
    enum Shape {
        AUTOMATIC,
        POLL_RESULT,
        MANUAL,
        TRANSACTIONAL,
        TRANSACTIONAL_MANUAL,
        KAFKA_TRANSACTION,
        KAFKA_TRANSACTION_MANUAL;

        boolean acknowledges() {
            return this == MANUAL || this == TRANSACTIONAL_MANUAL || this == KAFKA_TRANSACTION_MANUAL;
        }

        boolean isInKafkaTransaction() {
            return this == KAFKA_TRANSACTION || this == KAFKA_TRANSACTION_MANUAL;
        }

        boolean hasDatabase() {
            return this == TRANSACTIONAL || this == TRANSACTIONAL_MANUAL;
        }
    }

    /** What a run has shown. */
    private record Seen(List<List<String>> calls, List<String> recovered, Map<Integer, Long> committed) {}

    @ParameterizedTest
    @EnumSource
    @DisplayName("K20 a poll of which a BatchInterceptor leaves nothing: as without deduplication")
    void asUndecorated(Shape shape) {
        Seen undecorated = run(shape, false);
        Seen decorated = run(shape, true);

        assertThat(decorated).isEqualTo(undecorated);
        assertThat(decorated.calls()).containsExactly(List.of(), List.of("a"));
        assertThat(decorated.recovered()).isEmpty();
        assertThat(decorated.committed()).containsExactly(Map.entry(0, 2L));
    }

    private Seen run(Shape shape, boolean decorated) {
        if (!shape.hasDatabase()) {
            try (Scene scene = new Scene()) {
                return run(shape, decorated, scene);
            }
        }
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL)) {
            return run(shape, decorated, scene);
        }
    }

    private Seen run(Shape shape, boolean decorated, Scene scene) {
        List<List<String>> calls = new CopyOnWriteArrayList<>();
        List<String> recovered = new CopyOnWriteArrayList<>();
        var container = container(shape, scene, calls, recovered);
        container.setBatchInterceptor(dropping());
        scene.send(DROPPED);
        if (decorated) {
            scene.start(container);
        } else {
            container.start();
            scene.closeLater(container::stop);
        }
        await().until(() -> !calls.isEmpty() || !recovered.isEmpty());
        if (!shape.acknowledges() || shape.isInKafkaTransaction()) { // there is no record to acknowledge
            scene.awaitCommitted(1);
        }
        scene.send("a");
        scene.awaitCommitted(2);
        return new Seen(List.copyOf(calls), List.copyOf(recovered), scene.committed());
    }

    private static ConcurrentMessageListenerContainer<String, String> container(
            Shape shape, Scene scene, List<List<String>> calls, List<String> recovered) {
        Object listener = listener(shape, calls);
        AckMode mode = shape.acknowledges() ? AckMode.MANUAL : AckMode.BATCH;
        if (shape.isInKafkaTransaction()) {
            var container = new Transactions(scene).container(mode, listener);
            container.setInterceptBeforeTx(false); // else the container itself leaves an empty batch out
            return container;
        }
        var container = scene.container(mode, listener);
        container.setCommonErrorHandler(
                new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 1)));
        return container;
    }

    private static Object listener(Shape shape, List<List<String>> calls) {
        if (shape == Shape.POLL_RESULT) {
            return new PollResultListener(calls);
        }
        return shape.acknowledges()
                ? (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    calls.add(records.stream().map(Scene::id).toList());
                    ack.acknowledge();
                }
                : (BatchMessageListener<String, String>)
                        records -> calls.add(records.stream().map(Scene::id).toList());
    }

    /** Takes the poll's result instead of a list. */
    private record PollResultListener(List<List<String>> calls)
            implements BatchAcknowledgingConsumerAwareMessageListener<String, String> {
        @Override
        public void onMessage(
                List<ConsumerRecord<String, String>> records, Acknowledgment acknowledgment, Consumer<?, ?> consumer) {
            throw new AssertionError("wants the poll's result");
        }

        @Override
        public void onMessage(
                ConsumerRecords<String, String> records,
                Acknowledgment acknowledgment,
                Consumer<String, String> consumer) {
            List<String> ids = new CopyOnWriteArrayList<>();
            records.forEach(record -> ids.add(Scene.id(record)));
            calls.add(ids);
        }

        @Override
        public boolean wantsPollResult() {
            return true;
        }
    }

    private static BatchInterceptor<String, String> dropping() {
        return (records, consumer) -> {
            Map<TopicPartition, List<ConsumerRecord<String, String>>> left = new HashMap<>();
            for (TopicPartition partition : records.partitions()) {
                List<ConsumerRecord<String, String>> kept = records.records(partition).stream()
                        .filter(record -> !Scene.id(record).equals(DROPPED))
                        .toList();
                if (!kept.isEmpty()) {
                    left.put(partition, kept);
                }
            }
            return PollResults.of(left);
        };
    }
}
