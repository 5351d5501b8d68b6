package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.RecordInterceptor;

/**
 * K17: spring-kafka commits the offsets that a rebalance has held back after a poll has returned and before it hands the
 * first record out. When a consumer call throws there, it drops the polled records, and later commits pass them.
 */
@DisplayName("K17: records that spring-kafka drops between a poll and the first record's turn are fetched again")
class DroppedPollTest {
    /** What goes wrong while the polled records wait for their turn. */
    enum Fault {
        /** Somebody wakes the consumer up, again and again. */
        WOKEN_UP,
        /** The broker doesn't answer the commit. */
        COMMIT_TIMED_OUT,
        /** The container asks for positions after each poll (fixTxOffsets), and is woken up there. */
        POSITION_WOKEN_UP
    }

    enum Shape {
        RECORD(AckMode.RECORD),
        BATCH(AckMode.BATCH),
        COUNT(AckMode.COUNT),
        MANUAL(AckMode.MANUAL),
        MANUAL_IMMEDIATE(AckMode.MANUAL_IMMEDIATE),
        ASYNC_ACKS(AckMode.MANUAL),
        BATCH_LISTENER(AckMode.BATCH),
        MANUAL_BATCH_LISTENER(AckMode.MANUAL);

        private final AckMode mode;

        Shape(AckMode mode) {
            this.mode = mode;
        }

        private ContainerProperties properties(Scene scene) {
            MessageListener<String, String> records = scene.effect()::accept;
            AcknowledgingMessageListener<String, String> acknowledging = (record, acknowledgment) -> {
                scene.effect().accept(record);
                acknowledgment.acknowledge();
            };
            BatchMessageListener<String, String> batches = batch -> batch.forEach(scene.effect());
            BatchAcknowledgingMessageListener<String, String> acknowledgingBatches = (batch, acknowledgment) -> {
                batch.forEach(scene.effect());
                acknowledgment.acknowledge();
            };
            ContainerProperties properties = scene.properties(
                    mode,
                    switch (this) {
                        case RECORD, BATCH, COUNT -> records;
                        case MANUAL, MANUAL_IMMEDIATE, ASYNC_ACKS -> acknowledging;
                        case BATCH_LISTENER -> batches;
                        case MANUAL_BATCH_LISTENER -> acknowledgingBatches;
                    });
            properties.setAsyncAcks(this == ASYNC_ACKS);
            properties.setAckCount(1);
            return properties;
        }
    }

    /** A Kafka consumer whose commits meet a rebalance until a poll has brought records, and a call after that poll a fault. */
    private static final class Faults {
        private enum Stage {
            NONE,
            ARMED,
            HELD_BACK,
            POLLED
        }

        private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.NONE);
        private final AtomicInteger happened = new AtomicInteger();
        private final @Nullable Fault fault;
        private int wakeUps;

        Faults(@Nullable Fault fault) {
            this.fault = fault;
        }

        @SuppressWarnings("unchecked")
        Consumer<String, String> around(Consumer<String, String> real) {
            return (Consumer<String, String>) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                        before(method.getName(), real);
                        try {
                            Object answer = method.invoke(real, arguments);
                            if (answer instanceof ConsumerRecords<?, ?> records && !records.isEmpty()) {
                                stage.compareAndSet(Stage.HELD_BACK, Stage.POLLED);
                            }
                            return answer;
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }

        private void before(String method, Consumer<String, String> real) {
            boolean commits = method.equals("commitSync");
            if (commits && (stage.compareAndSet(Stage.ARMED, Stage.HELD_BACK) || stage.get() == Stage.HELD_BACK)) {
                wakeUps = 3;
                throw new RebalanceInProgressException("a cooperative rebalance is under way");
            }
            if (stage.get() != Stage.POLLED || fault == null) {
                return;
            }
            if (fault == Fault.COMMIT_TIMED_OUT) {
                if (commits) {
                    happen();
                    throw new TimeoutException("no answer to the commit");
                }
                return;
            }
            if (fault == Fault.WOKEN_UP ? commits : method.equals("position")) {
                real.wakeup();
                if (--wakeUps == 0) {
                    happen();
                }
            }
        }

        private void happen() {
            stage.set(Stage.NONE);
            happened.incrementAndGet();
        }
    }

    private final Faults none = new Faults(null);

    private static ConcurrentMessageListenerContainer<String, String> container(
            Scene scene, ContainerProperties properties, Faults faults) {
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                new HashMap<>(scene.consumerConfig()), new StringDeserializer(), new StringDeserializer());
        factory.addPostProcessor(faults::around);
        var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    private static void fetchedAgain(Shape shape, Fault fault, boolean claimAhead) {
        Faults faults = new Faults(fault);
        try (Scene scene = new Scene()) {
            scene.claimAhead(claimAhead);
            ContainerProperties properties = shape.properties(scene);
            properties.setFixTxOffsets(fault == Fault.POSITION_WOKEN_UP);
            scene.start(container(scene, properties, faults));
            List<String> sent = new ArrayList<>();
            for (int round = 1; round <= 2; round++) {
                faults.stage.set(Faults.Stage.ARMED);
                sent.add("a" + round);
                scene.send("a" + round);
                await().until(() -> faults.stage.get() != Faults.Stage.ARMED);
                for (int i = 0; i < 5; i++) {
                    sent.add("b" + round + i);
                    scene.send("b" + round + i);
                }
                int expected = round;
                await().until(() -> faults.happened.get() == expected);
                sent.add("c" + round);
                scene.send("c" + round);
                scene.awaitCommitted(sent.size());
            }
            assertThat(scene.effects).containsExactlyElementsOf(sent);
        }
    }

    @ParameterizedTest
    @EnumSource
    void wokenUp(Shape shape) {
        fetchedAgain(shape, Fault.WOKEN_UP, true);
    }

    @ParameterizedTest
    @EnumSource
    void commitTimedOut(Shape shape) {
        fetchedAgain(shape, Fault.COMMIT_TIMED_OUT, true);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECORD", "BATCH", "BATCH_LISTENER"})
    void positionWokenUp(Shape shape) {
        fetchedAgain(shape, Fault.POSITION_WOKEN_UP, true);
    }

    @ParameterizedTest
    @EnumSource(names = {"RECORD", "BATCH", "MANUAL", "BATCH_LISTENER"})
    void claimedOneByOne(Shape shape) {
        fetchedAgain(shape, Fault.WOKEN_UP, false);
        fetchedAgain(shape, Fault.COMMIT_TIMED_OUT, false);
    }

    /** What an interceptor throws outside of the listener's call ends the container's loop over the poll, too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void interceptorFails(boolean claimAhead) {
        try (Scene scene = new Scene()) {
            scene.claimAhead(claimAhead);
            AtomicInteger failures = new AtomicInteger();
            var container = container(scene, Shape.BATCH.properties(scene), none);
            container.setRecordInterceptor(new RecordInterceptor<>() {
                @Override
                public ConsumerRecord<String, String> intercept(
                        ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                    return record;
                }

                @Override
                public void afterRecord(ConsumerRecord<String, String> record, Consumer<String, String> consumer) {
                    if (record.offset() == 1 && failures.getAndIncrement() == 0) {
                        throw new IllegalStateException("an interceptor fails");
                    }
                }
            });
            scene.send("a", "b", "c", "d");
            scene.start(container);
            scene.awaitCommitted(4);
            assertThat(scene.effects).containsExactly("a", "b", "c", "d");
            assertThat(failures).hasPositiveValue();
        }
    }

    /** The end of a hold is seen by the consumer's own poll: a wake-up hits whatever the consumer does next. */
    @Test
    void holdsEndWithoutWakeUps() {
        AtomicInteger wakeUps = new AtomicInteger();
        try (Scene scene = new Scene(2, policy -> policy)) {
            var factory = new DefaultKafkaConsumerFactory<String, String>(
                    new HashMap<>(scene.consumerConfig()), new StringDeserializer(), new StringDeserializer());
            factory.addPostProcessor(real -> countingWakeUps(real, wakeUps));
            ContainerProperties properties = Shape.BATCH.properties(scene);
            properties.setPollTimeout(Scene.PATIENCE.toMillis()); // only the end of a hold ends a poll in time
            var execution = scene.runningElsewhere("held");
            scene.send("held");
            scene.start(new ConcurrentMessageListenerContainer<>(factory, properties));
            await().until(() -> scene.deferrals.size() > 5);
            execution.fail(new IllegalStateException("elsewhere failed"));
            scene.awaitCommitted(1);
            assertThat(scene.effects).containsExactly("held");
            assertThat(wakeUps).hasValue(0);
        }
    }

    /** Nobody wakes the consumer up for it either: its polls are short meanwhile. */
    @ParameterizedTest
    @CsvSource({"BATCH,true", "MANUAL_IMMEDIATE,false", "BATCH_LISTENER,true", "BATCH_LISTENER,false"})
    void aHoldEndsWithTheRunOfThisProcess(Shape shape, boolean succeeds) {
        AtomicInteger wakeUps = new AtomicInteger();
        Duration aLongTime = Duration.ofMinutes(10); // longer than the test waits for anything
        try (Scene scene = new Scene(
                2,
                policy -> policy.maxProcessingTime(aLongTime).lease(aLongTime).maxDeferDelay(aLongTime))) {
            var factory = new DefaultKafkaConsumerFactory<String, String>(
                    new HashMap<>(scene.consumerConfig()), new StringDeserializer(), new StringDeserializer());
            factory.addPostProcessor(real -> countingWakeUps(real, wakeUps));
            ContainerProperties properties = shape.properties(scene);
            properties.setPollTimeout(aLongTime.toMillis());
            Execution here = runningHere(scene, "held");
            scene.send("held");
            scene.start(new ConcurrentMessageListenerContainer<>(factory, properties));
            await().until(() -> !scene.deferrals.isEmpty());
            scene.sendTo(1, "other");
            scene.awaitEffects("other"); // in the same consumer
            assertThat(scene.deferrals).hasSize(1);
            if (succeeds) {
                here.succeed(null, WaitBudget.none());
            } else {
                boolean unused = here.fail(new IllegalStateException("the first has failed"));
            }
            await().until(() -> scene.committed().getOrDefault(0, 0L) == 1);
            assertThat(scene.effects).containsExactlyElementsOf(succeeds ? List.of("other") : List.of("other", "held"));
            assertThat(scene.deferrals).hasSize(1);
            assertThat(wakeUps).hasValue(0);
        }
    }

    private static Execution runningHere(Scene scene, String id) {
        Admission admission = DedupAdapter.of(scene.dedup)
                .admit(Delivery.of(scene.dedup.topic(scene.topic), id, null, () -> "here"), WaitBudget.none());
        Execution execution = ((Admission.Run) admission).execution();
        execution.begin();
        return execution;
    }

    private static final class Unwatchable extends DefaultKafkaConsumerFactory<String, String> {
        Unwatchable(Map<String, Object> config) {
            super(config, new StringDeserializer(), new StringDeserializer());
        }

        @Override
        public void addPostProcessor(ConsumerPostProcessor<String, String> postProcessor) {
            // as factories of others do
        }
    }

    private static ConcurrentMessageListenerContainer<String, String> unwatchable(
            Scene scene, Shape shape, Map<String, Object> settings) {
        Map<String, Object> config = new HashMap<>(scene.consumerConfig());
        config.putAll(settings);
        return new ConcurrentMessageListenerContainer<>(new Unwatchable(config), shape.properties(scene));
    }

    /** Without its polls nothing would end a partition's pause but a wake-up from another thread. */
    @ParameterizedTest
    @EnumSource(names = {"BATCH", "MANUAL_IMMEDIATE", "BATCH_LISTENER"})
    void unwatchedConsumersWaitInPlace(Shape shape) {
        try (Scene scene = new Scene()) {
            var execution = scene.runningElsewhere("held");
            scene.send("held", "next");
            var container = scene.start(unwatchable(scene, shape, Map.of()));
            await().until(() -> scene.deferrals.size() > 5);
            assertThat(container.isPartitionPaused(new TopicPartition(scene.topic, 0)))
                    .isFalse();
            execution.fail(new IllegalStateException("elsewhere failed"));
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("held", "next");
        }
    }

    @Test
    void unwatchedCooperativeConsumersAreRefused() {
        try (Scene scene = new Scene()) {
            var container = unwatchable(
                    scene,
                    Shape.BATCH,
                    Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()));
            scene.kafka.decorate(container);
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("addPostProcessor")
                    .hasMessageContaining("partition.assignment.strategy");
            var eager = unwatchable(
                    scene,
                    Shape.BATCH,
                    Map.of(
                            "partition.assignment.strategy",
                            RangeAssignor.class.getName() + "," + CooperativeStickyAssignor.class.getName()));
            scene.start(eager);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("fixTxOffsets commits positions behind what nobody watches: refused, also in a Kafka transaction")
    void unwatchedPositionsAreRefused(boolean inTransaction) {
        try (Scene scene = new Scene()) {
            var container = unwatchable(scene, Shape.BATCH, Map.of());
            container.getContainerProperties().setFixTxOffsets(true);
            if (inTransaction) {
                container.getContainerProperties().setKafkaAwareTransactionManager(new Transactions(scene).manager);
            }
            scene.kafka.decorate(container);
            assertThatThrownBy(container::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("addPostProcessor")
                    .hasMessageContaining("fixTxOffsets");
        }
    }

    @SuppressWarnings("unchecked")
    private static Consumer<String, String> countingWakeUps(Consumer<String, String> real, AtomicInteger wakeUps) {
        AtomicReference<Thread> polling = new AtomicReference<>();
        return (Consumer<String, String>) Proxy.newProxyInstance(
                DroppedPollTest.class.getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    if (method.getName().equals("poll")) {
                        polling.set(Thread.currentThread());
                    }
                    if (method.getName().equals("wakeup") && Thread.currentThread() != polling.get()) {
                        wakeUps.incrementAndGet();
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
