package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.internal.spring.PollResults;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerInterceptor;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.BatchListenerFailedException;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.RecordInterceptor;
import org.springframework.util.backoff.FixedBackOff;

/** K17: what else makes a container drop polled records, and what fetching them again must not do. */
@DisplayName("K17: dropped records are fetched again, at nobody else's cost")
class DroppedPollDoubtsTest {
    private static ContainerProperties records(Scene scene, AckMode mode) {
        return scene.properties(mode, (MessageListener<String, String>) scene.effect()::accept);
    }

    /** Leaves a partition in the poll, without records. */
    public static final class Expired implements ConsumerInterceptor<String, String> {
        @Override
        public ConsumerRecords<String, String> onConsume(ConsumerRecords<String, String> records) {
            Map<TopicPartition, List<ConsumerRecord<String, String>>> kept = new LinkedHashMap<>();
            for (TopicPartition partition : records.partitions()) {
                kept.put(
                        partition,
                        records.records(partition).stream()
                                .filter(record -> !Scene.id(record).equals("expired"))
                                .toList());
            }
            return PollResults.of(kept, records);
        }

        @Override
        public void onCommit(Map<TopicPartition, OffsetAndMetadata> offsets) {}

        @Override
        public void close() {}

        @Override
        public void configure(Map<String, ?> configs) {}
    }

    @Test
    void partitionWithoutRecordsInAPoll() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.sendTo(0, "expired");
            scene.sendTo(1, "a");
            scene.start(scene.container(
                    records(scene, AckMode.RECORD), Map.of("interceptor.classes", Expired.class.getName())));
            scene.awaitEffects("a");
            scene.sendTo(0, "b");
            scene.sendTo(1, "c");
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    /** With this interval the container tries again, and tells no error handler. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void authorizationFails(boolean claimAhead) {
        try (Scene scene = new Scene()) {
            scene.claimAhead(claimAhead);
            ContainerProperties properties = records(scene, AckMode.BATCH);
            properties.setAuthExceptionRetryInterval(Duration.ofMillis(100));
            FailingInterceptors interceptors = new FailingInterceptors(
                    () -> new TopicAuthorizationException("the audit topic may not be written"));
            var container = scene.container(properties, Map.of());
            container.setRecordInterceptor(interceptors.after("b"));
            scene.send("a", "b", "c", "d");
            scene.start(container);
            await().until(() -> interceptors.failures.get() > 0);
            scene.send("e"); // its commit passes what was dropped
            scene.awaitCommitted(5);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d", "e");
        }
    }

    @Test
    void interceptorSetAfterDecorationIsRefused() {
        try (Scene scene = new Scene()) {
            ContainerProperties properties = records(scene, AckMode.BATCH);
            properties.setAuthExceptionRetryInterval(Duration.ofMillis(100));
            var container = scene.container(properties, Map.of());
            scene.kafka.decorate(container);
            container.setRecordInterceptor(new FailingInterceptors().after("a"));
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("authExceptionRetryInterval");
        }
    }

    /** With fixTxOffsets the container commits the position that it asks for before it polls. */
    @Test
    void committedPositionIsNotBehindDropped() {
        try (Scene scene = new Scene()) {
            List<String> early = new CopyOnWriteArrayList<>();
            ContainerProperties properties = records(scene, AckMode.RECORD);
            properties.setFixTxOffsets(true);
            FailingInterceptors interceptors = new FailingInterceptors();
            var container = FaultyConsumers.container(scene, properties, Map.of(), (method, argument) -> {
                if (method.startsWith("commit") && argument instanceof Map<?, ?> offsets) {
                    offsets.values().stream()
                            .map(OffsetAndMetadata.class::cast)
                            .filter(offset -> offset.offset() > scene.effects.size())
                            .forEach(offset -> early.add(offset + " after " + scene.effects));
                }
            });
            container.setRecordInterceptor(interceptors.after("b"));
            var elsewhere = scene.runningElsewhere("c");
            scene.send("a", "b", "c", "d");
            scene.start(container);
            await().until(() -> scene.deferrals.size() > 2);
            assertThat(interceptors.failures).hasPositiveValue();
            elsewhere.fail(new IllegalStateException("elsewhere failed"));
            scene.awaitCommitted(4);
            assertThat(early).isEmpty();
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
        }
    }

    enum KeepsPolled {
        MANUAL,
        MANUAL_IMMEDIATE,
        ASYNC_ACKS,
        PAUSE_IMMEDIATE,
        SEEK_AFTER_ERROR_FALSE
    }

    @ParameterizedTest
    @EnumSource
    void fixTxOffsetsIsRefused(KeepsPolled shape) {
        try (Scene scene = new Scene()) {
            AcknowledgingMessageListener<String, String> manual = (record, ack) -> {};
            ContainerProperties properties = switch (shape) {
                case MANUAL, ASYNC_ACKS -> scene.properties(AckMode.MANUAL, manual);
                case MANUAL_IMMEDIATE -> scene.properties(AckMode.MANUAL_IMMEDIATE, manual);
                case PAUSE_IMMEDIATE, SEEK_AFTER_ERROR_FALSE -> records(scene, AckMode.BATCH);
            };
            properties.setFixTxOffsets(true);
            properties.setAsyncAcks(shape == KeepsPolled.ASYNC_ACKS);
            properties.setPauseImmediate(shape == KeepsPolled.PAUSE_IMMEDIATE);
            var container = scene.container(properties, Map.of());
            if (shape == KeepsPolled.SEEK_AFTER_ERROR_FALSE) {
                DefaultErrorHandler handler = new DefaultErrorHandler();
                handler.setSeekAfterError(false);
                container.setCommonErrorHandler(handler);
            }
            scene.kafka.decorate(container);
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("fixTxOffsets")
                    .hasMessageContaining(
                            switch (shape) {
                                case MANUAL, MANUAL_IMMEDIATE, ASYNC_ACKS -> "manual ack mode";
                                case PAUSE_IMMEDIATE -> "pauseImmediate";
                                case SEEK_AFTER_ERROR_FALSE -> "seekAfterError";
                            });
        }
    }

    /** An error handler polls between the retries of its batch, to stay in its group. Nothing has dropped that batch. */
    @Test
    void retriedBatchIsNotFetchedMeanwhile() {
        try (Scene scene = new Scene()) {
            List<String> recovered = new CopyOnWriteArrayList<>();
            BatchConsumerAwareMessageListener<String, String> listener = (batch, consumer) -> {
                consumer.position(new TopicPartition("not-assigned", 0)); // which throws
            };
            var container = scene.container(AckMode.BATCH, listener);
            container.setCommonErrorHandler(
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(10, 2)));
            scene.send("a", "b");
            scene.start(container);
            await().until(() -> recovered.contains("b"));
            scene.send("c");
            scene.awaitCommitted(3);
            assertThat(recovered).containsExactly("a", "b", "c");
        }
    }

    /** As while Kafka elects a leader: the consumer looks for the position, and the other partitions are polled meanwhile. */
    @Test
    void positionOfOnePartitionIsNotKnown() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            FailingInterceptors interceptors = new FailingInterceptors();
            AtomicBoolean known = new AtomicBoolean();
            var container =
                    FaultyConsumers.container(scene, records(scene, AckMode.BATCH), Map.of(), (method, argument) -> {
                        if (method.equals("position")
                                && new TopicPartition(scene.topic, 0).equals(argument)
                                && interceptors.failures.get() > 0
                                && !known.get()) {
                            throw new TimeoutException("the partition has no leader");
                        }
                    });
            container.setRecordInterceptor(interceptors.after("a"));
            scene.send("a", "b");
            scene.start(container);
            await().until(() -> interceptors.failures.get() > 0);
            scene.sendTo(1, "other");
            scene.awaitEffects("a", "other");
            known.set(true);
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactly("a", "other", "b");
        }
    }

    /** As after a new leader was elected: the poll that begins without the position finds it, and goes on behind the dropped records. */
    @Test
    void positionIsFoundWithinThePoll() {
        try (Scene scene = new Scene()) {
            AtomicBoolean once = new AtomicBoolean();
            var container = scene.container(records(scene, AckMode.BATCH), Map.of("max.poll.records", 2));
            container.setRecordInterceptor(new RecordInterceptor<>() {
                @Override
                public ConsumerRecord<String, String> intercept(
                        ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                    return record;
                }

                @Override
                public void afterRecord(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                    if (once.compareAndSet(false, true)) {
                        TopicPartition partition = new TopicPartition(record.topic(), record.partition());
                        long position = consumer.position(partition);
                        // Stays where it is, and has to be compared with the leader's log before anything else is
                        // fetched.
                        consumer.seek(partition, new OffsetAndMetadata(position, Optional.of(0), ""));
                        throw new IllegalStateException("an interceptor fails");
                    }
                }
            });
            scene.send("a", "b", "c", "d");
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
        }
    }

    enum InThePoll {
        RESUMED,
        PAUSED,
        PAUSED_FOR_THE_CALL,
        PAUSE_IS_REFUSED;

        void call(Consumer<?, ?> consumer, TopicPartition partition, int poll) {
            Set<TopicPartition> all = Set.of(partition);
            switch (this) {
                case RESUMED -> consumer.resume(all);
                case PAUSED -> {
                    if (poll == 1) {
                        consumer.pause(all);
                    } else if (poll == 3) {
                        consumer.resume(all);
                    }
                }
                case PAUSED_FOR_THE_CALL -> {
                    Set<TopicPartition> before = consumer.paused();
                    consumer.pause(all);
                    consumer.resume(before.contains(partition) ? Set.of() : all);
                }
                case PAUSE_IS_REFUSED ->
                    assertThatThrownBy(() -> consumer.pause(List.of(new TopicPartition("not-assigned", 0), partition)))
                            .isInstanceOf(IllegalStateException.class);
            }
        }
    }

    /**
     * The position is found within a poll in which user code, for example a rebalance's callback, resumes the partition: that poll
     * goes on behind the dropped records. What user code pauses instead stays paused.
     */
    @ParameterizedTest
    @EnumSource
    void userCodeWithinThePoll(InThePoll does) {
        try (Scene scene = new Scene()) {
            TopicPartition partition = new TopicPartition(scene.topic, 0);
            AtomicReference<Consumer<?, ?>> consumer = new AtomicReference<>();
            AcknowledgingConsumerAwareMessageListener<String, String> listener = (record, ack, its) -> {
                consumer.set(its);
                scene.effect().accept(record);
            };
            FailingInterceptors interceptors = new FailingInterceptors();
            List<Integer> handledAtPolls = new CopyOnWriteArrayList<>();
            var container = FaultyConsumers.container(
                    scene,
                    scene.properties(AckMode.BATCH, listener),
                    Map.of("max.poll.records", 2),
                    (method, argument) -> {
                        if (interceptors.failures.get() == 0) {
                            return;
                        }
                        if (method.equals("position") && handledAtPolls.isEmpty()) {
                            throw new TimeoutException("the partition has no leader");
                        }
                        if (method.equals("poll")) {
                            handledAtPolls.add(scene.effects.size());
                            does.call(consumer.get(), partition, handledAtPolls.size());
                        }
                    });
            container.setRecordInterceptor(interceptors.after("a"));
            scene.send("a", "b", "c", "d");
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
            if (does == InThePoll.PAUSED) {
                assertThat(handledAtPolls).startsWith(1, 1, 1);
            }
        }
    }

    /** After the error the container keeps a and b: what the poll brings from behind them must not be forgotten with them. */
    @Test
    void resumedWithinThePollWhileTheContainerKeepsRecords() {
        try (Scene scene = new Scene()) {
            TopicPartition partition = new TopicPartition(scene.topic, 0);
            AtomicReference<Consumer<?, ?>> consumer = new AtomicReference<>();
            AtomicBoolean resumed = new AtomicBoolean();
            AcknowledgingConsumerAwareMessageListener<String, String> listener = (record, ack, its) -> {
                if (consumer.compareAndSet(null, its)) {
                    throw new IllegalStateException("the handler fails");
                }
                scene.effect().accept(record);
            };
            var container = FaultyConsumers.container(
                    scene,
                    scene.properties(AckMode.BATCH, listener),
                    Map.of("max.poll.records", 2),
                    (method, argument) -> {
                        if (consumer.get() != null && method.equals("poll") && resumed.compareAndSet(false, true)) {
                            assertThatThrownBy(() -> consumer.get().position(new TopicPartition("not-assigned", 0)))
                                    .isInstanceOf(IllegalStateException.class);
                            consumer.get().resume(Set.of(partition));
                        }
                    });
            DefaultErrorHandler keeping = new DefaultErrorHandler(new FixedBackOff(0, 3));
            keeping.setSeekAfterError(false);
            container.setCommonErrorHandler(keeping);
            scene.send("a", "b", "c", "d");
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
        }
    }

    /** The container hands out itself what it has kept. If that were fetched again, what was given up would be given up once more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatTheContainerKeepsIsNotDropped(boolean commitFails) {
        try (Scene scene = new Scene()) {
            FailingInterceptors interceptors = new FailingInterceptors();
            AtomicBoolean commitFailed = new AtomicBoolean();
            List<String> handled = new CopyOnWriteArrayList<>();
            MessageListener<String, String> listener = record -> {
                handled.add(Scene.id(record));
                if (Scene.id(record).equals("bad")) {
                    throw new IllegalStateException("always");
                }
            };
            var container = FaultyConsumers.container(
                    scene, scene.properties(AckMode.BATCH, listener), Map.of(), (method, argument) -> {
                        if (commitFails
                                && method.equals("commitSync")
                                && argument instanceof Map<?, ?> offsets
                                && offsets.containsValue(new OffsetAndMetadata(1))
                                && commitFailed.compareAndSet(false, true)) {
                            throw new TimeoutException("simulated");
                        }
                    });
            if (!commitFails) {
                container.setRecordInterceptor(interceptors.whenFailed());
            }
            List<String> recovered = new CopyOnWriteArrayList<>();
            DefaultErrorHandler keeping =
                    new DefaultErrorHandler((record, e) -> recovered.add(Scene.id(record)), new FixedBackOff(0, 2));
            keeping.setSeekAfterError(false);
            container.setCommonErrorHandler(keeping);
            scene.send("a", "bad", "c", "d");
            scene.start(container);
            scene.awaitCommitted(4);
            scene.send("e"); // behind whatever is fetched again
            scene.awaitCommitted(5);

            assertThat(commitFails ? commitFailed.get() : interceptors.failures.get() == 1)
                    .isTrue();
            assertThat(recovered).containsExactly("bad");
            assertThat(handled).containsExactly("a", "bad", "bad", "bad", "c", "d", "e");
        }
    }

    /**
     * A batch that fails leaves partitions whose records were all handled. To fetch these again after a commit has failed, much
     * later, would begin below the log's start, and go on at its end.
     */
    @Test
    void whatStoodBeforeAFailureIsNotFetchedAgain() throws Exception {
        try (Scene scene = new Scene(2, policy -> policy);
                Admin admin = Admin.create(Map.of("bootstrap.servers", scene.bootstrap))) {
            TopicPartition[] partitions = {new TopicPartition(scene.topic, 0), new TopicPartition(scene.topic, 1)};
            scene.commitTheBegin(2);
            AtomicInteger first = new AtomicInteger(-1);
            BatchMessageListener<String, String> listener = batch -> {
                if (first.get() < 0 && batch.size() < 2) { // until both partitions stand in one batch
                    throw new BatchListenerFailedException("too early", 0);
                }
                scene.effect().accept(batch.get(0));
                if (first.compareAndSet(-1, batch.get(0).partition())) {
                    throw new BatchListenerFailedException("for once", 1);
                }
                batch.stream().skip(1).forEach(scene.effect());
            };
            AtomicBoolean commitFails = new AtomicBoolean();
            var container = FaultyConsumers.container(
                    scene,
                    scene.properties(AckMode.BATCH, listener),
                    Map.of("auto.offset.reset", "latest"),
                    (method, argument) -> {
                        if (method.equals("commitSync") && commitFails.compareAndSet(true, false)) {
                            scene.sendTo(first.get(), "d");
                            throw new TimeoutException("the commit gets no answer");
                        }
                    });
            container.setCommonErrorHandler(
                    new DefaultErrorHandler(new FixedBackOff(0, FixedBackOff.UNLIMITED_ATTEMPTS)));
            scene.sendTo(0, "a");
            scene.sendTo(1, "b");
            scene.start(container);
            scene.awaitAllCommitted();
            admin.deleteRecords(Map.of(partitions[first.get()], RecordsToDelete.beforeOffset(1)))
                    .all()
                    .get();
            commitFails.set(true);
            scene.sendTo(1 - first.get(), "c");
            await().until(() -> !commitFails.get());
            scene.sendTo(1 - first.get(), "e");
            await().until(() -> scene.effects.contains("e"));
            scene.sendTo(first.get(), "f");
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b", "c", "d", "e", "f");
        }
    }

    /** The error handler seeks to what stands behind the record that it gives up, and throws. */
    @Test
    void whatABatchHasGivenUpIsNotFetchedAgain() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            AtomicReference<ConsumerRecord<String, String>> first = new AtomicReference<>();
            List<String> failures = new CopyOnWriteArrayList<>();
            BatchMessageListener<String, String> listener = batch -> {
                ConsumerRecord<String, String> record = batch.get(0);
                if (first.get() == null && batch.size() == 2) {
                    first.set(record);
                }
                if (first.get() == null || Scene.id(record).equals(Scene.id(first.get()))) {
                    failures.add(Scene.id(record));
                    throw new BatchListenerFailedException("for good, once both partitions stand in one batch", 0);
                }
                batch.forEach(scene.effect());
            };
            AtomicBoolean commitFails = new AtomicBoolean();
            var container = FaultyConsumers.container(
                    scene, scene.properties(AckMode.BATCH, listener), Map.of(), (method, argument) -> {
                        if (method.equals("commitSync") && commitFails.compareAndSet(true, false)) {
                            throw new TimeoutException("the commit gets no answer");
                        }
                    });
            DefaultErrorHandler errors = new DefaultErrorHandler(new FixedBackOff(0, 0));
            errors.setBackOffFunction((record, thrown) -> first.get() == null
                    ? new FixedBackOff(0, FixedBackOff.UNLIMITED_ATTEMPTS)
                    : new FixedBackOff(0, 0));
            container.setCommonErrorHandler(errors);
            scene.sendTo(0, "a");
            scene.sendTo(1, "b");
            scene.start(container);
            scene.awaitAllCommitted();
            int other = 1 - first.get().partition();
            int before = failures.size();
            commitFails.set(true);
            scene.sendTo(other, "c");
            await().until(() -> !commitFails.get());
            scene.sendTo(other, "d");
            await().until(() -> scene.effects.contains("d"));
            assertThat(failures).hasSize(before);
        }
    }

    private static ConcurrentMessageListenerContainer<String, String> bare(Scene scene, Class<?> assignor) {
        Map<String, Object> config = scene.consumerConfig();
        config.put("partition.assignment.strategy", assignor.getName());
        // Takes post-processors, and applies none: only its consumer shows that.
        var factory =
                new DefaultKafkaConsumerFactory<String, String>(
                        config, new StringDeserializer(), new StringDeserializer()) {
                    @Override
                    protected Consumer<String, String> createKafkaConsumer(Map<String, Object> properties) {
                        return new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer());
                    }
                };
        return new ConcurrentMessageListenerContainer<>(factory, records(scene, AckMode.BATCH));
    }

    @Test
    void bareCooperativeConsumersAreStopped() {
        try (Scene scene = new Scene()) {
            scene.send("a");
            var refused = scene.start(bare(scene, CooperativeStickyAssignor.class));
            await().until(() -> !refused.isRunning());
            assertThat(scene.effects).isEmpty();
            assertThat(scene.committed()).isEmpty();
            scene.start(bare(scene, RangeAssignor.class));
            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("a");
        }
    }
}
