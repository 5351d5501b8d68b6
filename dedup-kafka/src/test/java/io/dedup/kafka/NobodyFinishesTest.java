package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.internal.spring.PollResults;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.util.backoff.FixedBackOff;

/** K24: below the log's start the default of auto.offset.reset goes on at the log's end, past whatever is new. */
@DisplayName("K24: what nobody will finish isn't fetched again, and nothing is sought below the log's start")
class NobodyFinishesTest {
    private static final Map<String, Object> LATEST = Map.of("auto.offset.reset", "latest");

    private final AtomicInteger dropped = new AtomicInteger();

    enum Drops {
        RECORD_INTERCEPTOR,
        /** By a {@code RecordInterceptor} in a manual ack mode. */
        NOT_ACKNOWLEDGED,
        BATCH_INTERCEPTOR,
        KAFKA_TRANSACTION
    }

    private boolean isDropped(ConsumerRecord<String, String> record) {
        boolean drop = Scene.id(record).equals("dropped");
        if (drop) {
            dropped.incrementAndGet();
        }
        return drop;
    }

    private ConsumerRecords<String, String> kept(ConsumerRecords<String, String> records) {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new LinkedHashMap<>();
        for (TopicPartition partition : records.partitions()) {
            List<ConsumerRecord<String, String>> some = records.records(partition).stream()
                    .filter(record -> !isDropped(record))
                    .toList();
            if (!some.isEmpty()) {
                kept.put(partition, some);
            }
        }
        return PollResults.of(kept, records);
    }

    private ConcurrentMessageListenerContainer<String, String> dropping(
            Drops drops, Scene scene, FaultyConsumers.BeforeCall faults) {
        MessageListener<String, String> records = record -> {
            if (isDropped(record)) { // only in a transaction
                throw new IllegalStateException("for good");
            }
            scene.effect().accept(record);
        };
        AcknowledgingMessageListener<String, String> acknowledging = (record, acknowledgment) -> {
            records.onMessage(record);
            acknowledgment.acknowledge();
        };
        BatchMessageListener<String, String> batches = batch -> batch.forEach(records::onMessage);
        ContainerProperties properties = switch (drops) {
            case RECORD_INTERCEPTOR, KAFKA_TRANSACTION -> scene.properties(AckMode.BATCH, records);
            case NOT_ACKNOWLEDGED -> scene.properties(AckMode.MANUAL, acknowledging);
            case BATCH_INTERCEPTOR -> scene.properties(AckMode.BATCH, batches);
        };
        if (drops == Drops.KAFKA_TRANSACTION) {
            properties.setKafkaAwareTransactionManager(new Transactions(scene).manager);
        }
        var container = FaultyConsumers.container(scene, properties, LATEST, faults);
        if (drops == Drops.KAFKA_TRANSACTION) {
            container.setAfterRollbackProcessor(new DefaultAfterRollbackProcessor<>(
                    (record, e) -> {}, new FixedBackOff(0, 0))); // and commits no recovered record
        } else if (drops == Drops.BATCH_INTERCEPTOR) {
            container.setBatchInterceptor((all, consumer) -> kept(all));
        } else {
            container.setRecordInterceptor((record, consumer) -> isDropped(record) ? null : record);
        }
        return container;
    }

    /** Later something fails once, after new records have arrived. The old record is below the log's start, or isn't. */
    private void notFetchedAgain(Drops drops, boolean retention) throws Exception {
        try (Scene scene = new Scene(2, policy -> policy);
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            scene.commitTheBegin(2);
            AtomicBoolean fails = new AtomicBoolean();
            scene.start(dropping(drops, scene, (method, argument) -> {
                // In a transaction the consumer commits nothing.
                if (method.equals(drops == Drops.KAFKA_TRANSACTION ? "paused" : "commitSync")
                        && fails.compareAndSet(true, false)) {
                    scene.sendTo(0, "c");
                    throw new TimeoutException("no answer");
                }
            }));
            scene.sendTo(0, "a");
            scene.awaitEffects("a");
            scene.sendTo(0, "dropped");
            await().until(() -> dropped.get() == 1);
            scene.sendTo(1, "b");
            scene.awaitEffects("a", "b");
            await().until(() -> scene.committed().getOrDefault(1, 0L) == 1);
            if (retention) {
                admin.deleteRecords(Map.of(new TopicPartition(scene.topic, 0), RecordsToDelete.beforeOffset(2)))
                        .all()
                        .get();
            }
            fails.set(true);
            scene.sendTo(1, "d");
            await().untilFalse(fails);
            scene.sendTo(1, "e");
            await().until(() -> scene.effects.contains("e"));
            scene.sendTo(0, "f");
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f");
            assertThat(dropped).hasValue(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void withRetention(Drops drops) throws Exception {
        notFetchedAgain(drops, true);
    }

    @ParameterizedTest
    @EnumSource
    void withoutRetention(Drops drops) throws Exception {
        notFetchedAgain(drops, false);
    }

    /** Retention deletes "b" while "a" is handled. */
    private static MessageListener<String, String> deleting(Scene scene, Admin admin) {
        return record -> {
            scene.effect().accept(record);
            if (Scene.id(record).equals("a")) {
                delete(scene, admin);
            }
        };
    }

    private static void delete(Scene scene, Admin admin) {
        admin.deleteRecords(Map.of(new TopicPartition(scene.topic, 0), RecordsToDelete.beforeOffset(2)))
                .lowWatermarks()
                .values()
                .forEach(deleted -> {
                    try {
                        deleted.get();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
    }

    @Test
    @DisplayName("K24 of a record that its error handler retries, while others are acknowledged later")
    void retried() {
        try (Scene scene = new Scene();
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            AtomicBoolean failed = new AtomicBoolean();
            AcknowledgingMessageListener<String, String> listener = (record, acknowledgment) -> {
                if (Scene.id(record).equals("b")) {
                    failed.set(true);
                    throw new IllegalStateException("fails");
                }
                scene.effect().accept(record);
                Objects.requireNonNull(acknowledgment).acknowledge();
            };
            ContainerProperties properties = scene.properties(AckMode.MANUAL, listener);
            properties.setAsyncAcks(true);
            scene.send("a", "b", "c");
            scene.start(FaultyConsumers.container(
                    scene, properties, Map.of("auto.offset.reset", "earliest"), (method, argument) -> {
                        if (method.equals("poll") && failed.compareAndSet(true, false)) {
                            delete(scene, admin);
                        }
                    }));
            scene.awaitCommitted(3);
            assertThat(scene.effects).containsExactly("a", "c");
        }
    }

    @Test
    @DisplayName("K24 of records that the container has dropped")
    void dropped() {
        try (Scene scene = new Scene();
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            scene.commitTheBegin(1);
            var container = scene.container(scene.properties(AckMode.BATCH, deleting(scene, admin)), LATEST);
            container.setRecordInterceptor(new FailingInterceptors().after("a"));
            scene.send("a", "b", "c", "d");
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "c", "d");
        }
    }

    @Test
    @DisplayName("K24 of a record that is deferred")
    void deferred() {
        try (Scene scene = new Scene();
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            scene.commitTheBegin(1);
            var elsewhere = scene.runningElsewhere("b");
            scene.send("a", "b", "c", "d");
            scene.start(scene.container(scene.properties(AckMode.BATCH, deleting(scene, admin)), LATEST));
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "c", "d");
            assertThat(scene.deferrals).hasSize(1);
            elsewhere.giveBack();
        }
    }

    /** The broker doesn't say where the log begins: the partition waits. */
    @Test
    @DisplayName("K24 while the log's start isn't known")
    void logStartIsNotKnown() {
        try (Scene scene = new Scene(2, policy -> policy);
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            scene.commitTheBegin(2);
            AtomicInteger asked = new AtomicInteger();
            AtomicBoolean known = new AtomicBoolean();
            var container = FaultyConsumers.container(
                    scene, scene.properties(AckMode.BATCH, deleting(scene, admin)), LATEST, (method, argument) -> {
                        if (method.equals("beginningOffsets") && !known.get()) {
                            asked.incrementAndGet();
                            throw new TimeoutException("no leader for now");
                        }
                    });
            container.setRecordInterceptor(new FailingInterceptors().after("a"));
            scene.send("a", "b", "c", "d");
            scene.start(container);
            await().until(() -> asked.get() > 1);
            scene.sendTo(1, "other");
            scene.awaitEffects("a", "other");
            known.set(true);
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("a", "other", "c", "d");
        }
    }

    static final class Futures {
        private final Map<String, Integer> runs = new ConcurrentHashMap<>();
        private final CompletableFuture<Void> work = new CompletableFuture<>();
        private final List<String> effects = new CopyOnWriteArrayList<>();

        @KafkaListener(id = "deleted", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            String id = Scene.id(record);
            if (id.equals("a") && runs.merge(id, 1, Integer::sum) == 1) {
                return work;
            }
            effects.add(id);
            return CompletableFuture.completedFuture(null);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("K24 of a record whose future fails after retention has deleted it: what is above it can be committed")
    void futureFails(boolean deleted) {
        try (Scene scene = new Scene();
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            scene.commitTheBegin(1);
            Futures futures = new Futures();
            AnnotatedScene annotated = new AnnotatedScene(scene)
                    .with(factory -> factory.setCommonErrorHandler(
                            new DefaultErrorHandler(new FixedBackOff(0, FixedBackOff.UNLIMITED_ATTEMPTS))));
            annotated.consumer.putAll(LATEST);
            scene.send("a", "b", "c");
            var unused = annotated.start(futures);
            await().until(() -> futures.effects.size() == 2);
            if (deleted) {
                delete(scene, admin);
            }
            futures.work.completeExceptionally(new IllegalStateException("for once"));
            await().until(() -> scene.committed().getOrDefault(0, 0L) == 3);
            scene.send("d");
            scene.awaitCommitted(4);
            assertThat(futures.effects)
                    .containsExactlyElementsOf(deleted ? List.of("b", "c", "d") : List.of("b", "c", "a", "d"));
        }
    }
}
