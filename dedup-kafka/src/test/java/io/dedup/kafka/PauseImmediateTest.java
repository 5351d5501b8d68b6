package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupStoreException;
import io.dedup.doubles.WatchedStore;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.RecordInterceptor;

/**
 * {@code pauseImmediate}: a consumer that saw a pause in the middle of a poll keeps the rest of it in memory, and hasn't paused
 * its Kafka consumer yet. It is held there by an interceptor, which the container calls at the end of each poll.
 */
class PauseImmediateTest {
    private static final int MANY = 20;
    private static final String DEFERRED = "x";

    /** Kinds of listeners that spring-kafka or we treat in different ways. */
    enum Shape {
        RECORD(AckMode.RECORD),
        BATCH(AckMode.BATCH),
        MANUAL(AckMode.MANUAL),
        MANUAL_IMMEDIATE(AckMode.MANUAL_IMMEDIATE),
        LEASED_TRANSACTIONAL(AckMode.BATCH),
        KAFKA_TRANSACTION(AckMode.BATCH),
        BATCH_LISTENER(AckMode.BATCH);

        private final AckMode mode;

        Shape(AckMode mode) {
            this.mode = mode;
        }
    }

    private final AtomicBoolean down = new AtomicBoolean();
    private final CountDownLatch keepsRecords = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final Set<Thread> polled = ConcurrentHashMap.newKeySet();
    private volatile boolean held;
    private volatile Thread busy;
    private volatile ConcurrentMessageListenerContainer<String, String> container;

    private void failsWhileDown(WatchedStore watched) {
        for (String operation : List.of("claim", "ping")) {
            watched.before(operation, () -> {
                if (down.get()) {
                    throw new DedupStoreException("down", null);
                }
            });
        }
    }

    private DataSource failingWhileDown(DataSource real) {
        return new DelegatingDataSource(real) {
            @Override
            public Connection getConnection() throws SQLException {
                if (down.get()) {
                    throw new SQLTransientConnectionException("down");
                }
                return super.getConnection();
            }
        };
    }

    private Scene scene(Shape shape) {
        UnaryOperator<DedupPolicy.Builder> pausing = policy -> policy.onStoreFailure(OnStoreFailure.PAUSE);
        Scene scene;
        if (shape == Shape.LEASED_TRANSACTIONAL) {
            Ledger ledger = Ledger.postgres();
            DataSource connections = failingWhileDown(ledger.pool);
            JdbcDedupStore store =
                    JdbcDedupStore.builder(connections).purgeInterval(null).build();
            scene = new Scene(
                    store,
                    store.transactions(new JdbcTransactionManager(connections)),
                    2,
                    policy -> pausing.apply(policy).mode(DedupMode.LEASED_TRANSACTIONAL));
            scene.closeLater(ledger);
        } else {
            WatchedStore watched = new WatchedStore(Scene.memory());
            failsWhileDown(watched);
            scene = new Scene(watched.store, 2, pausing);
        }
        return scene;
    }

    private static void sendMany(Scene scene) {
        for (int i = 0; i < MANY; i++) {
            scene.sendTo(1, "p1-" + i);
        }
    }

    private void start(Scene scene, Shape shape, int concurrency) {
        Object listener = switch (shape) {
            case MANUAL, MANUAL_IMMEDIATE ->
                (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    scene.effect().accept(record);
                    ack.acknowledge();
                };
            case BATCH_LISTENER -> (BatchMessageListener<String, String>) records -> records.forEach(scene.effect());
            default -> (MessageListener<String, String>) scene.effect()::accept;
        };
        container = shape == Shape.KAFKA_TRANSACTION
                ? new Transactions(scene).container(shape.mode, listener)
                : scene.container(shape.mode, listener);
        container.getContainerProperties().setPauseImmediate(true);
        container.getContainerProperties().getKafkaConsumerProperties().put("max.poll.records", "5");
        container.setConcurrency(concurrency);
        container.setRecordInterceptor(new HoldingRecords());
        container.setBatchInterceptor(new HoldingBatches());
        scene.start(container);
    }

    /**
     * The container is paused when the consumer of partition 1 has handled the first record of a poll, or a batch, and before it
     * looks. Not in the first poll, which may have found one record only.
     */
    private void awaitPause(ConsumerRecord<String, String> record) {
        boolean first = polled.remove(Thread.currentThread());
        if (first && record.partition() == 1 && record.offset() > 0 && held && busy == null) {
            busy = Thread.currentThread();
            await().until(container::isPauseRequested);
        }
    }

    private void hold() {
        if (Thread.currentThread() == busy && container.isPauseRequested()) {
            keepsRecords.countDown();
            Uninterrupted.await(goOn);
        }
    }

    private final class HoldingRecords implements RecordInterceptor<String, String> {
        @Override
        public ConsumerRecord<String, String> intercept(
                ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
            return record;
        }

        @Override
        public void afterRecord(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
            awaitPause(record);
        }

        @Override
        public void setupThreadState(Consumer<?, ?> consumer) {
            polled.add(Thread.currentThread());
        }

        @Override
        public void clearThreadState(Consumer<?, ?> consumer) {
            hold();
        }
    }

    private final class HoldingBatches implements BatchInterceptor<String, String> {
        @Override
        public ConsumerRecords<String, String> intercept(
                ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
            return records;
        }

        @Override
        public void success(ConsumerRecords<String, String> records, Consumer<String, String> consumer) {
            awaitPause(records.iterator().next());
        }

        @Override
        public void setupThreadState(Consumer<?, ?> consumer) {
            polled.add(Thread.currentThread());
        }

        @Override
        public void clearThreadState(Consumer<?, ?> consumer) {
            hold();
        }
    }

    /** One consumer defers and pauses the container; the other one keeps records in memory when this returns. */
    private void pauseInThePoll(Scene scene) {
        await().until(() -> container.getContainers().stream()
                .allMatch(each -> each.getAssignedPartitions() != null
                        && each.getAssignedPartitions().size() == 1));
        TopicPartition many = new TopicPartition(scene.topic, 1); // so that one poll finds all of it
        container.pausePartition(many);
        await().until(() -> container.isPartitionPaused(many));
        sendMany(scene);
        container.resumePartition(many);
        await().until(() -> busy != null);
        down.set(true);
        scene.sendTo(0, DEFERRED);
        Uninterrupted.await(keepsRecords);
    }

    private void awaitAllOnce(Scene scene) {
        List<String> all = new ArrayList<>(List.of(DEFERRED));
        IntStream.range(0, MANY).forEach(i -> all.add("p1-" + i));
        Map<Integer, Long> ends = Map.of(0, 1L, 1, (long) MANY);
        await().until(() -> !container.isRunning() || scene.committed().equals(ends));
        assertThat(container.isRunning()).isTrue();
        assertThat(scene.effects).containsExactlyInAnyOrderElementsOf(all);
        await().until(() -> Stream.concat(Stream.of(container), container.getContainers().stream())
                .noneMatch(each -> each.isPauseRequested()));
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName(
            "K19 one consumer goes on when the store answers, the other one when it has paused its poll: none is stopped")
    void resumed(Shape shape) {
        try (Scene scene = scene(shape)) {
            held = true;
            start(scene, shape, 2);
            pauseInThePoll(scene);
            down.set(false);
            await().until(() -> scene.effects.contains(DEFERRED));
            goOn.countDown();
            awaitAllOnce(scene);
        }
    }

    @Test
    @DisplayName("K19 the same when KafkaDedup is closed before the container")
    void closed() {
        try (Scene scene = scene(Shape.BATCH)) {
            held = true;
            start(scene, Shape.BATCH, 2);
            pauseInThePoll(scene);
            scene.kafka.close();
            down.set(false);
            await().until(() -> scene.effects.contains(DEFERRED));
            goOn.countDown();
            awaitAllOnce(scene);
        }
    }

    @ParameterizedTest
    @CsvSource({"BATCH, 1", "BATCH, 3", "BATCH_LISTENER, 1", "BATCH_LISTENER, 3"})
    @DisplayName("K19 a single consumer, and one without partitions, go on as well")
    void otherConcurrency(Shape shape, int concurrency) {
        try (Scene scene = scene(shape)) {
            down.set(true);
            scene.sendTo(0, DEFERRED);
            sendMany(scene);
            start(scene, shape, concurrency);
            await().until(container::isPauseRequested);
            down.set(false);
            awaitAllOnce(scene);
        }
    }
}
