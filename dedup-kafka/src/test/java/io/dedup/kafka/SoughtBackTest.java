package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.policy.DedupMode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.event.ListenerContainerIdleEvent;
import org.springframework.kafka.listener.AbstractConsumerSeekAware;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerAwareListenerErrorHandler;
import org.springframework.kafka.listener.ConsumerAwareMessageListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.KafkaListenerErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.support.Acknowledgment;

/** Listeners, and their error handlers, that seek back to what they couldn't handle, and return. */
@Order(1) // takes long
class SoughtBackTest {
    /** The ways to seek; each is one that moves the position to the record, or below it. */
    enum Seek {
        CONSUMER,
        BEGINNING,
        CALLBACK,
        CALLBACK_ELSEWHERE,
        COMPUTED,
        RELATIVE,
        TIMESTAMP
    }

    private final AtomicInteger left = new AtomicInteger(2);
    private final long later = System.currentTimeMillis() + 60_000;
    /** What was committed at each call that fails or is the first to succeed after a failure. */
    private final List<Map<Integer, Long>> committed = new CopyOnWriteArrayList<>();

    /**
     * Collects records, and handles and acknowledges them together with the last of them; when it cannot, it seeks back to
     * the first of them.
     *
     * @param thrown whether it also throws then
     */
    private AcknowledgingConsumerAwareMessageListener<String, String> collecting(
            Scene scene, boolean thrown, Predicate<ConsumerRecord<String, String>> last) {
        List<ConsumerRecord<String, String>> collected = new ArrayList<>();
        return (record, ack, consumer) -> {
            collected.add(record);
            if (isFailing(scene, record)) {
                consumer.seek(partition(record), collected.get(0).offset());
                collected.clear();
                if (thrown) {
                    throw new IllegalStateException("cannot handle them together");
                }
            } else if (last.test(record)) {
                collected.forEach(scene.effect());
                collected.clear();
                ack.acknowledge();
            }
        };
    }

    private boolean isFailing(Scene scene, ConsumerRecord<?, ?> record) {
        if (!Scene.id(record).equals("c")) {
            return false;
        }
        committed.add(scene.committed());
        return left.getAndDecrement() > 0;
    }

    private static TopicPartition partition(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** Seeks back to c twice, and returns as if c were handled. */
    private final class Seeking extends AbstractConsumerSeekAware
            implements AcknowledgingConsumerAwareMessageListener<String, String> {
        private final Scene scene;
        private final Seek how;

        Seeking(Scene scene, Seek how) {
            this.scene = scene;
            this.how = how;
        }

        @Override
        public void onMessage(
                ConsumerRecord<String, String> record,
                @Nullable Acknowledgment ack,
                @Nullable Consumer<?, ?> consumer) {
            if (isFailing(scene, record)) {
                seek(record, consumer);
            } else {
                scene.effect().accept(record);
            }
            if (ack != null) {
                ack.acknowledge(); // as in a finally block
            }
        }

        private void seek(ConsumerRecord<?, ?> record, @Nullable Consumer<?, ?> consumer) {
            TopicPartition to = partition(record);
            ConsumerSeekCallback callback = getSeekCallbacksFor(to).get(0);
            switch (how) {
                case CONSUMER -> consumer.seek(to, record.offset());
                case BEGINNING -> consumer.seekToBeginning(List.of());
                case CALLBACK -> callback.seek(to.topic(), to.partition(), record.offset());
                case CALLBACK_ELSEWHERE ->
                    CompletableFuture.runAsync(() -> callback.seek(to.topic(), to.partition(), record.offset()))
                            .join();
                case COMPUTED -> callback.seek(to.topic(), to.partition(), position -> record.offset());
                case RELATIVE -> callback.seekRelative(to.topic(), to.partition(), -1, true);
                case TIMESTAMP -> callback.seekToTimestamp(List.of(to), record.timestamp());
            }
        }
    }

    private void assertHandledOnce(Scene scene) {
        scene.awaitCommitted(5);
        assertThat(scene.effects).containsExactly("a", "b", "c", "d", "e");
        assertThat(scene.events.stream().filter("released c"::equals)).hasSize(2);
        assertThat(committed)
                .hasSize(3)
                .allSatisfy(offsets -> assertThat(offsets.getOrDefault(0, 0L))
                        .as("c isn't committed before its effect")
                        .isLessThanOrEqualTo(2));
    }

    @ParameterizedTest
    @CsvSource({
        "BATCH, CONSUMER",
        "BATCH, BEGINNING",
        "BATCH, CALLBACK",
        "BATCH, CALLBACK_ELSEWHERE",
        "BATCH, COMPUTED",
        "BATCH, RELATIVE",
        "BATCH, TIMESTAMP",
        "RECORD, CONSUMER",
        "RECORD, CALLBACK",
        "COUNT, CONSUMER",
        "MANUAL, CONSUMER",
        "MANUAL, CALLBACK",
        "MANUAL_IMMEDIATE, CONSUMER",
        "MANUAL_IMMEDIATE, CALLBACK_ELSEWHERE"
    })
    @DisplayName("K22 a record listener seeks back and returns: released, nothing from there on is committed, handled")
    void byRecordListener(AckMode mode, Seek how) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c", "d", "e");
            scene.start(scene.container(mode, new Seeking(scene, how)));
            assertHandledOnce(scene);
        }
    }

    @Test
    @DisplayName("K22 an acknowledgment of what was given before the seek ends no run that has begun since")
    void acknowledgedFromBefore() {
        List<Acknowledgment> acknowledgments = new CopyOnWriteArrayList<>();
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c");
            AcknowledgingConsumerAwareMessageListener<String, String> listener = (record, ack, consumer) -> {
                acknowledgments.add(ack);
                if (acknowledgments.size() == 3) {
                    consumer.seek(new TopicPartition(record.topic(), record.partition()), 0);
                }
            };
            scene.start(scene.container(AckMode.MANUAL, listener));
            await().until(() -> acknowledgments.size() == 6);

            acknowledgments.get(1).acknowledge();
            assertThat(scene.events).doesNotContain("completed a", "completed b");
            acknowledgments.get(5).acknowledge();
            scene.awaitCommitted(3);
            assertThat(scene.events).contains("completed a", "completed b", "completed c");
        }
    }

    final class Annotated {
        private final Scene scene;

        Annotated(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "r", groupId = "${group}", topics = "${topic}", errorHandler = "seekBack")
        void on(ConsumerRecord<String, String> record) {
            if (isFailing(scene, record)) {
                throw new IllegalStateException("not yet");
            }
            scene.effect().accept(record);
        }
    }

    final class AnnotatedBatch {
        private final Scene scene;

        AnnotatedBatch(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "b", groupId = "${group}", topics = "${topic}", batch = "true", errorHandler = "seekBack")
        void on(List<ConsumerRecord<String, String>> records) {
            for (ConsumerRecord<String, String> record : records) {
                if (isFailing(scene, record)) {
                    throw new IllegalStateException("not yet");
                }
            }
            records.forEach(scene.effect());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K22 a KafkaListenerErrorHandler seeks back to the record, or to the batch's first, and returns")
    void byErrorHandler(boolean batch) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c", "d", "e");
            ConsumerAwareListenerErrorHandler seekBack = (message, failure, consumer) -> {
                Object payload = message.getPayload();
                ConsumerRecord<?, ?> record =
                        (ConsumerRecord<?, ?>) (payload instanceof List<?> records ? records.get(0) : payload);
                consumer.seek(partition(record), record.offset());
                return null;
            };
            new AnnotatedScene(scene)
                    .with("seekBack", KafkaListenerErrorHandler.class, seekBack)
                    .start(batch ? new AnnotatedBatch(scene) : new Annotated(scene));
            assertHandledOnce(scene);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"BATCH", "MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName("K22 a batch listener seeks one partition back: released from there on, the rest of the batch is done")
    void byBatchListener(AckMode mode) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.send("a", "b", "c", "d");
            scene.sendTo(1, "x");
            scene.sendTo(1, "y");
            scene.start(scene.container(mode, (BatchAcknowledgingConsumerAwareMessageListener<String, String>)
                    (records, ack, consumer) -> {
                        long from = Long.MAX_VALUE;
                        for (ConsumerRecord<String, String> record : records) {
                            if (isFailing(scene, record)) {
                                from = record.offset();
                                consumer.seek(partition(record), from);
                            } else if (record.partition() == 1 || record.offset() < from) {
                                scene.effect().accept(record);
                            }
                        }
                        if (ack != null) {
                            ack.acknowledge();
                        }
                    }));
            await().untilAsserted(() -> assertThat(scene.committed()).isEqualTo(Map.of(0, 4L, 1, 2L)));
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d", "x", "y");
            assertThat(committed)
                    .allSatisfy(
                            offsets -> assertThat(offsets.getOrDefault(0, 0L)).isLessThanOrEqualTo(2));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"MANUAL", "MANUAL_IMMEDIATE"})
    @DisplayName(
            "K22 a handler collects records, and seeks back to the first of them when it cannot handle them together")
    void collected(AckMode mode) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c", "d", "e");
            scene.start(scene.container(mode, collecting(scene, false, record -> record.offset() >= 2)));
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d", "e");
            assertThat(committed)
                    .hasSize(3)
                    .allSatisfy(
                            offsets -> assertThat(offsets.getOrDefault(0, 0L)).isZero());
        }
    }

    @ParameterizedTest
    @CsvSource({"MANUAL, false", "MANUAL, true", "MANUAL_IMMEDIATE, false"})
    @DisplayName("K22 a handler collects records, seeks back to the first of them, and throws")
    void collectedAndThrown(AckMode mode, boolean batch) {
        try (Scene scene = new Scene()) {
            AcknowledgingConsumerAwareMessageListener<String, String> records =
                    collecting(scene, true, record -> record.offset() >= 2);
            BatchAcknowledgingConsumerAwareMessageListener<String, String> batches =
                    (list, ack, consumer) -> list.forEach(record -> records.onMessage(record, ack, consumer));
            ContainerProperties properties = scene.properties(mode, batch ? batches : records);
            scene.send("a", "b", "c", "d", "e");
            scene.start(scene.container(properties, batch ? Map.of("max.poll.records", 1) : Map.of()));
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d", "e");
        }
    }

    /** The container commits the acknowledgment of a duplicate, and with it everything below. */
    @ParameterizedTest
    @CsvSource({"MANUAL, false", "MANUAL, true", "MANUAL_IMMEDIATE, false", "MANUAL_IMMEDIATE, true"})
    @DisplayName(
            "K22 what waited to be acknowledged behind collected records isn't committed when they are sought back to")
    void duplicateAboveCollected(AckMode mode, boolean batch) {
        try (Scene scene = new Scene()) {
            AcknowledgingConsumerAwareMessageListener<String, String> records = collecting(
                    scene,
                    true,
                    record -> record.offset() < 2 || Scene.id(record).equals("c"));
            BatchAcknowledgingConsumerAwareMessageListener<String, String> batches =
                    (list, ack, consumer) -> list.forEach(record -> records.onMessage(record, ack, consumer));
            ContainerProperties properties = scene.properties(mode, batch ? batches : records);
            scene.send("x", "y", "a", "b", "x", "c");
            scene.start(scene.container(properties, Map.of("max.poll.records", 2)));
            scene.awaitCommitted(6);
            assertThat(scene.effects).containsExactly("x", "y", "a", "b", "c");
            assertThat(committed).hasSize(3).containsOnly(Map.of(0, 2L));
        }
    }

    /** How a handler seeks when its container is idle. */
    enum IdleSeek {
        IDLE_CALLBACK,
        OWN_CALLBACK,
        /** By the consumer of a {@code ListenerContainerIdleEvent}. */
        EVENT
    }

    /** Collects records, and handles them when the container is idle. */
    private final class UntilIdle extends AbstractConsumerSeekAware
            implements AcknowledgingConsumerAwareMessageListener<String, String> {
        private final Scene scene;
        private final IdleSeek by;
        private final List<ConsumerRecord<String, String>> collected = new ArrayList<>();
        private final List<Acknowledgment> acks = new ArrayList<>();

        UntilIdle(Scene scene, IdleSeek by) {
            this.scene = scene;
            this.by = by;
        }

        @Override
        public void onMessage(
                ConsumerRecord<String, String> record,
                @Nullable Acknowledgment ack,
                @Nullable Consumer<?, ?> consumer) {
            collected.add(record);
            acks.add(ack);
        }

        @Override
        public void onIdleContainer(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            if (by == IdleSeek.EVENT) {
                return;
            }
            handleCollected(first -> {
                ConsumerSeekCallback seeks = by == IdleSeek.OWN_CALLBACK
                        ? getSeekCallbacksFor(partition(first)).get(0)
                        : callback;
                seeks.seek(first.topic(), first.partition(), first.offset());
            });
        }

        /** What an event listener of the application does. */
        void onEvent(Object event) {
            if (by == IdleSeek.EVENT && event instanceof ListenerContainerIdleEvent idle) {
                handleCollected(first -> idle.getConsumer().seek(partition(first), first.offset()));
            }
        }

        private void handleCollected(java.util.function.Consumer<ConsumerRecord<String, String>> seek) {
            if (collected.isEmpty()) {
                return;
            }
            if (left.getAndDecrement() > 0) {
                seek.accept(collected.get(0));
            } else {
                collected.forEach(scene.effect());
                acks.get(acks.size() - 1).acknowledge();
            }
            collected.clear();
            acks.clear();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K22 a handler seeks back to collected records between its calls: it is given them again")
    void collectedUntilIdle(IdleSeek by) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            UntilIdle listener = new UntilIdle(scene, by);
            ContainerProperties properties = scene.properties(AckMode.MANUAL, listener);
            properties.setIdleEventInterval(100L);
            properties.setPollTimeout(20);
            var container = scene.container(properties, Map.of());
            container.setApplicationEventPublisher(listener::onEvent);
            scene.start(container);
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }

    /**
     * Collects batches of one record, of which one is dropped. The first call without records seeks back to what is collected; after
     * that, so many records are handled together.
     */
    private ConcurrentMessageListenerContainer<String, String> collectingUntilEmpty(
            Scene scene, int together, Runnable whenSoughtBack) {
        List<ConsumerRecord<String, String>> collected = new ArrayList<>();
        left.set(1);
        var container = scene.container(
                scene.properties(AckMode.MANUAL, (BatchAcknowledgingConsumerAwareMessageListener<String, String>)
                        (records, ack, consumer) -> {
                            collected.addAll(records);
                            if (records.isEmpty() && left.getAndDecrement() > 0) {
                                consumer.seek(
                                        partition(collected.get(0)),
                                        collected.get(0).offset());
                                collected.clear();
                                whenSoughtBack.run();
                            } else if (left.get() <= 0 && collected.size() == together) {
                                collected.forEach(scene.effect());
                                collected.clear();
                                ack.acknowledge();
                            }
                        }),
                Map.of("max.poll.records", 1));
        container.setBatchInterceptor((records, consumer) ->
                Scene.id(records.iterator().next()).equals("dropped") ? ConsumerRecords.empty() : records);
        return container;
    }

    @Test
    @DisplayName("K22 a handler seeks back to collected records when a BatchInterceptor has left nothing of a poll")
    void collectedAndEmpty() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "dropped");
            scene.start(collectingUntilEmpty(scene, 2, () -> {}));
            scene.awaitEffects("a", "b");
            scene.awaitCommitted(2);
        }
    }

    /** Seeks to the batch that has failed, as spring-kafka's own does if its container is paused between two tries. */
    private static final class SeeksToItsBatch implements CommonErrorHandler {
        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            data.partitions()
                    .forEach(partition -> consumer.seek(
                            partition, data.records(partition).get(0).offset()));
            throw new KafkaException("sought to the batch", thrown);
        }
    }

    @Test
    @DisplayName(
            "K22 a batch handler that is given nothing, seeks back to what it has collected, and fails is given it again")
    void collectedAndEmptyThrown() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "dropped", "c");
            var container = collectingUntilEmpty(scene, 3, () -> {
                throw new IllegalStateException("cannot handle them");
            });
            container.setCommonErrorHandler(new SeeksToItsBatch());
            scene.start(container);
            scene.awaitEffects("a", "b", "c");
            scene.awaitCommitted(4);
        }
    }

    /** The container commits a record that its error handler has given up, and with it everything below. */
    @ParameterizedTest
    @ValueSource(ints = {1, 10})
    @DisplayName("K22 what was given up above collected records isn't committed when they are sought back to")
    void givenUpAboveCollected(int maxPollRecords) {
        try (Scene scene = new Scene()) {
            List<ConsumerRecord<String, String>> collected = new ArrayList<>();
            List<Map<Integer, Long>> atFirst = new CopyOnWriteArrayList<>();
            scene.send("a", "bad", "c", "d");
            var container = scene.container(
                    scene.properties(AckMode.MANUAL, (AcknowledgingConsumerAwareMessageListener<String, String>)
                            (record, ack, consumer) -> {
                                if (Scene.id(record).equals("bad")) {
                                    throw new IllegalStateException("cannot handle it");
                                }
                                if (Scene.id(record).equals("a")) {
                                    atFirst.add(scene.committed());
                                }
                                collected.add(record);
                                if (isFailing(scene, record)) {
                                    consumer.seek(
                                            partition(record), collected.get(0).offset());
                                    collected.clear();
                                    throw new IllegalStateException("cannot handle them together");
                                } else if (Scene.id(record).equals("d")) {
                                    collected.forEach(scene.effect());
                                    ack.acknowledge();
                                }
                            }),
                    Map.of("max.poll.records", maxPollRecords));
            container.setCommonErrorHandler(new CommonLoggingErrorHandler());
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "c", "d");
            assertThat(atFirst).hasSize(3).containsOnly(Map.of());
        }
    }

    @Test
    @DisplayName("K22 acknowledged before the seek: the handler has said that it is done")
    void acknowledgedBefore() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b");
            scene.start(scene.container(AckMode.MANUAL, (AcknowledgingConsumerAwareMessageListener<String, String>)
                    (record, ack, consumer) -> {
                        scene.effect().accept(record);
                        ack.acknowledge();
                        if (left.getAndDecrement() > 0) {
                            consumer.seek(partition(record), record.offset());
                        }
                    }));
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }

    final class Futures extends AbstractConsumerSeekAware {
        private final Scene scene;

        Futures(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "f", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record) {
            return CompletableFuture.runAsync(() -> {
                if (isFailing(scene, record)) {
                    getSeekCallbacksFor(partition(record))
                            .get(0)
                            .seek(record.topic(), record.partition(), record.offset());
                } else {
                    scene.effect().accept(record);
                }
            });
        }
    }

    final class FuturesThatSeekFirst {
        private final Scene scene;

        FuturesThatSeekFirst(Scene scene) {
            this.scene = scene;
        }

        @KafkaListener(id = "f", groupId = "${group}", topics = "${topic}")
        CompletableFuture<Void> on(ConsumerRecord<String, String> record, Consumer<?, ?> consumer) {
            if (isFailing(scene, record)) {
                consumer.seek(partition(record), record.offset());
                return CompletableFuture.completedFuture(null);
            }
            return CompletableFuture.runAsync(() -> scene.effect().accept(record));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K22 the work of a future seeks back, and the future succeeds: released, and handled")
    void byFuture(boolean first) {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c", "d", "e");
            new AnnotatedScene(scene).start(first ? new FuturesThatSeekFirst(scene) : new Futures(scene));
            scene.awaitCommitted(5);
            assertThat(scene.effects).contains("a", "b", "c", "d", "e");
            assertThat(scene.effects).filteredOn("c"::equals).hasSize(1);
            assertThat(committed)
                    .hasSize(3)
                    .allSatisfy(
                            offsets -> assertThat(offsets.getOrDefault(0, 0L)).isLessThanOrEqualTo(2));
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "LEASED")
    @DisplayName("K22 in a transactional mode the run is rolled back")
    void inDatabaseTransaction(DedupMode mode) {
        for (AckMode ackMode : List.of(AckMode.RECORD, AckMode.MANUAL)) {
            left.set(2);
            try (Ledger ledger = Ledger.postgres();
                    Scene scene = ledger.scene(mode)) {
                scene.send("a", "b", "c", "d");
                scene.runUntilCommitted(scene.container(ackMode, (AcknowledgingConsumerAwareMessageListener<
                                String, String>)
                        (record, ack, consumer) -> {
                            boolean failing = isFailing(scene, record);
                            ledger.effect((failing ? "half of " : "") + Scene.id(record));
                            if (failing) {
                                consumer.seek(partition(record), record.offset());
                            }
                            if (ack != null) {
                                ack.acknowledge();
                            }
                        }));
                assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
            }
        }
    }

    @Test
    @DisplayName("K22 a batch in a transactional mode: what is below the seek commits, the rest is rolled back")
    void batchInDatabaseTransaction() {
        try (Ledger ledger = Ledger.postgres();
                Scene scene = ledger.scene(DedupMode.TRANSACTIONAL)) {
            scene.send("a", "b", "c", "d");
            scene.runUntilCommitted(scene.container(AckMode.BATCH, (BatchConsumerAwareMessageListener<String, String>)
                    (records, consumer) -> {
                        for (ConsumerRecord<String, String> record : records) {
                            boolean failing = isFailing(scene, record);
                            ledger.effect((failing ? "half of " : "") + Scene.id(record));
                            if (failing) {
                                consumer.seek(partition(record), record.offset());
                                return;
                            }
                        }
                    }));
            assertThat(ledger.effects()).containsExactly("a", "b", "c", "d");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("K22 in a Kafka transaction what the run has sent is rolled back")
    void inKafkaTransaction(boolean batch) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            scene.send("a", "b", "c", "d");
            Object listener = batch
                    ? (BatchConsumerAwareMessageListener<String, String>) (records, consumer) -> {
                        for (ConsumerRecord<String, String> record : records) {
                            boolean failing = isFailing(scene, record);
                            transactions.send((failing ? "half of " : "") + Scene.id(record));
                            if (failing) {
                                consumer.seek(partition(record), record.offset());
                                return;
                            }
                        }
                    }
                    : (ConsumerAwareMessageListener<String, String>) (record, consumer) -> {
                        boolean failing = isFailing(scene, record);
                        transactions.send((failing ? "half of " : "") + Scene.id(record));
                        if (failing) {
                            consumer.seek(partition(record), record.offset());
                        }
                    };
            scene.start(transactions.container(AckMode.BATCH, listener, 0));
            transactions.awaitOutputs("a", "b", "c", "d");
            scene.awaitCommitted(4);
            assertThat(transactions.recovered).isEmpty();
        }
    }

    /** Seeks by a callback, which the container executes before its next poll. */
    private final class SeekingBatches extends AbstractConsumerSeekAware
            implements BatchConsumerAwareMessageListener<String, String> {
        private final Scene scene;
        private final Transactions transactions;
        private final boolean toEnd;

        SeekingBatches(Scene scene, Transactions transactions, boolean toEnd) {
            this.scene = scene;
            this.transactions = transactions;
            this.toEnd = toEnd;
        }

        @Override
        public void onMessage(List<ConsumerRecord<String, String>> records, Consumer<?, ?> consumer) {
            for (ConsumerRecord<String, String> record : records) {
                if (isFailing(scene, record)) {
                    ConsumerSeekCallback callback =
                            getSeekCallbacksFor(partition(record)).get(0);
                    callback.seek(record.topic(), record.partition(), record.offset());
                    if (toEnd) {
                        callback.seekToEnd(record.topic(), record.partition());
                    }
                    return;
                }
                transactions.send(Scene.id(record));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    @DisplayName("K22 a batch's seek doesn't pass what is below it, if the transaction of that doesn't commit")
    void callbackPassesNothing(boolean fails, boolean toEnd) {
        try (Scene scene = new Scene()) {
            Transactions transactions = new Transactions(scene);
            left.set(1);
            transactions.next.set(producer -> {
                throw fails
                        ? new KafkaException("what was sent cannot be committed")
                        : new InvalidProducerEpochException("another transaction may succeed");
            });
            scene.send("a", "b", "c", "d");
            scene.start(transactions.container(AckMode.BATCH, new SeekingBatches(scene, transactions, toEnd), 1));
            transactions.awaitOutputs("a", "b", "c", "d");
            scene.awaitCommitted(4);
            assertThat(transactions.recovered).isEmpty();
        }
    }

    /** Goes to the beginning when it is assigned its partitions. Sought to from another partition's handler later. */
    private final class FromTheBeginning extends AbstractConsumerSeekAware
            implements ConsumerAwareMessageListener<String, String> {
        private final Scene scene;

        FromTheBeginning(Scene scene) {
            this.scene = scene;
        }

        @Override
        public void onPartitionsAssigned(Map<TopicPartition, Long> assignments, ConsumerSeekCallback callback) {
            super.onPartitionsAssigned(assignments, callback);
            callback.seekToBeginning(assignments.keySet());
        }

        @Override
        public void onMessage(ConsumerRecord<String, String> record, Consumer<?, ?> consumer) {
            if (record.partition() == 1 && left.getAndDecrement() > 0) {
                scene.send("new");
                getSeekCallbacksFor(new TopicPartition(scene.topic, 0)).get(0).seek(scene.topic, 0, 2);
                consumer.seek(partition(record), record.offset());
            } else {
                scene.effect().accept(record);
            }
        }
    }

    @Test
    @DisplayName("K22 a seek to the beginning of an assigned partition limits none of later, below the log's start")
    void whenAssigned() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            left.set(1);
            scene.commitTheBegin(2);
            scene.send("deleted", "deleted, too");
            scene.deleteRecords(0, 2);
            scene.sendTo(1, "b");
            ContainerProperties properties = scene.properties(AckMode.BATCH, new FromTheBeginning(scene));
            properties.setPollTimeout(30_000); // the poll that assigns the partitions brings records
            scene.start(scene.container(properties, Map.of("auto.offset.reset", "latest")));
            scene.awaitEffectsOf("new", "b");
            await().until(() -> scene.committed().equals(Map.of(0, 3L, 1, 1L)));
        }
    }

    /** The ways to seek forward to a target that isn't an offset. */
    enum Forward {
        COMPUTED,
        FROM_BEGINNING,
        FROM_END,
        TIMESTAMP
    }

    /** Seeks forward to e while it has b. */
    private final class SeekingForward extends AbstractConsumerSeekAware
            implements ConsumerAwareMessageListener<String, String> {
        private final Scene scene;
        private final Forward how;

        SeekingForward(Scene scene, Forward how) {
            this.scene = scene;
            this.how = how;
        }

        @Override
        public void onMessage(ConsumerRecord<String, String> record, Consumer<?, ?> consumer) {
            scene.effect().accept(record);
            if (Scene.id(record).equals("b")) {
                ConsumerSeekCallback callback =
                        getSeekCallbacksFor(partition(record)).get(0);
                switch (how) {
                    case COMPUTED -> callback.seek(scene.topic, 0, position -> 7L);
                    case FROM_BEGINNING -> callback.seekRelative(scene.topic, 0, 4, false);
                    case FROM_END -> callback.seekRelative(scene.topic, 0, -1, false);
                    case TIMESTAMP -> callback.seekToTimestamp(scene.topic, 0, later);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("K22 a seek forward by time, by computation or from an end is none back: the record is done")
    void forward(Forward how) {
        try (Scene scene = new Scene()) {
            scene.send("deleted", "deleted, too", "deleted as well", "a", "b", "c", "d");
            ProducerRecord<String, String> last = scene.record(0, "e".getBytes(StandardCharsets.UTF_8), "v");
            scene.send(new ProducerRecord<>(scene.topic, 0, later, null, last.value(), last.headers()));
            scene.deleteRecords(0, 3);
            scene.start(scene.container(
                    scene.properties(AckMode.BATCH, new SeekingForward(scene, how)), Map.of("max.poll.records", 1)));
            await().until(() -> scene.effects.size() >= 3);
            assertThat(scene.effects).containsExactly("a", "b", "e");
            scene.awaitCommitted(8);
            assertThat(scene.events).noneMatch(each -> each.startsWith("released"));
        }
    }

    /** Asks for a seek to one before the position, which is beyond the poll, and fails for once. */
    private static final class SeekingAndFailing extends AbstractConsumerSeekAware
            implements MessageListener<String, String> {
        private final Scene scene;
        private boolean failed;

        SeekingAndFailing(Scene scene) {
            this.scene = scene;
        }

        @Override
        public void onMessage(ConsumerRecord<String, String> record) {
            if (!failed) {
                failed = true;
                getSeekCallbacksFor(partition(record)).get(0).seek(scene.topic, 0, position -> position - 1);
                throw new IllegalStateException("for once");
            }
            scene.effect().accept(record);
        }
    }

    @Test
    @DisplayName("K22 a seek by computation passes nothing of what the error handler has sought back to meanwhile")
    void computedBeforeAFailure() {
        try (Scene scene = new Scene()) {
            scene.send("a", "b", "c", "d");
            scene.start(scene.container(AckMode.BATCH, new SeekingAndFailing(scene)));
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
        }
    }

    @Test
    @DisplayName("K22 a seek while no listener has a record is a replay: what is done stays done")
    void replay() {
        try (Scene scene = new Scene()) {
            Seeking listener = new Seeking(scene, Seek.CONSUMER);
            left.set(0);
            scene.send("a", "b", "c");
            ContainerProperties properties = scene.properties(AckMode.BATCH, listener);
            scene.start(scene.container(properties, Map.of()));
            scene.awaitCommitted(3);
            listener.seekToBeginning();
            await().until(() -> scene.events.containsAll(List.of("duplicate a", "duplicate b", "duplicate c")));
            assertThat(scene.effects).containsExactly("a", "b", "c");
        }
    }
}
