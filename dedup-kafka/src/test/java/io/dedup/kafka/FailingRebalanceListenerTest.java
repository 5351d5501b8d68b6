package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.WakeupException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.AcknowledgingMessageListener;
import org.springframework.kafka.listener.BatchAcknowledgingMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.support.Acknowledgment;

/** The application's rebalance listener throws: spring-kafka doesn't tell the message listener then what has left. */
class FailingRebalanceListenerTest {
    private static final Duration LONGEST_WORK = Duration.ofSeconds(2);

    private static final Map<String, Map<String, Object>> PROTOCOLS = Map.of(
            "eager", Map.of("partition.assignment.strategy", RangeAssignor.class.getName()),
            "consumer", Map.of("group.protocol", "consumer"));

    /** What fails. */
    enum Fails {
        BEFORE_COMMIT,
        AFTER_COMMIT,
        LOST,
        /** After a revocation that it has survived. */
        ASSIGNED
    }

    /** It gives up what the handler has queued, and fails. */
    private static final class Failing implements ConsumerAwareRebalanceListener {
        private final Fails fails;
        private final AtomicInteger failures = new AtomicInteger();
        private volatile boolean queueing = true;
        private final List<Acknowledgment> queue = new CopyOnWriteArrayList<>();

        Failing(Fails fails) {
            this.fails = fails;
        }

        private void fail() {
            queueing = false;
            queue.clear();
            failures.incrementAndGet();
            throw new IllegalStateException("the rebalance listener fails");
        }

        @Override
        public void onPartitionsRevokedBeforeCommit(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
            if (fails == Fails.BEFORE_COMMIT && queueing && !partitions.isEmpty()) {
                fail();
            }
        }

        @Override
        public void onPartitionsRevokedAfterCommit(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
            if (fails == Fails.AFTER_COMMIT && queueing && !partitions.isEmpty()) {
                fail();
            }
        }

        @Override
        public void onPartitionsLost(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
            if (fails == Fails.LOST && queueing && !partitions.isEmpty()) {
                fail();
            }
        }

        @Override
        public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
            if (fails == Fails.ASSIGNED && queueing && !queue.isEmpty() && !partitions.isEmpty()) {
                fail();
            }
        }
    }

    private static Map<String, Object> config(Scene scene, String protocol) {
        Map<String, Object> config = new HashMap<>(scene.consumerConfig());
        config.putAll(PROTOCOLS.get(protocol));
        config.put("max.poll.interval.ms", 5_000);
        if (protocol.equals("consumer")) { // the broker decides about these
            config.keySet().removeAll(List.of("session.timeout.ms", "heartbeat.interval.ms"));
        }
        return config;
    }

    private static ConcurrentMessageListenerContainer<String, String> container(
            Scene scene, String protocol, ContainerProperties properties) {
        var container = new ConcurrentMessageListenerContainer<String, String>(
                new DefaultKafkaConsumerFactory<>(
                        config(scene, protocol), new StringDeserializer(), new StringDeserializer()),
                properties);
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    private static Object listener(Scene scene, Failing listener, boolean batch) {
        return batch
                ? (BatchAcknowledgingMessageListener<String, String>) (records, ack) -> {
                    if (listener.queueing) {
                        listener.queue.add(ack);
                    } else {
                        records.forEach(scene.effect());
                        ack.acknowledge();
                    }
                }
                : (AcknowledgingMessageListener<String, String>) (record, ack) -> {
                    if (listener.queueing) {
                        listener.queue.add(ack);
                    } else {
                        scene.effect().accept(record);
                        ack.acknowledge();
                    }
                };
    }

    private static Scene scene() {
        return new Scene(policy -> policy.lease(Duration.ofSeconds(1)).maxProcessingTime(LONGEST_WORK));
    }

    private static ContainerProperties properties(Scene scene, AckMode mode, Failing listener, boolean batch) {
        ContainerProperties properties = scene.properties(mode, listener(scene, listener, batch));
        properties.setConsumerRebalanceListener(listener);
        return properties;
    }

    private static void sendQueued(Scene scene, Failing listener) {
        scene.send("a");
        await().until(() -> listener.queue.size() == 1);
        scene.send("b");
        await().until(() -> listener.queue.size() == 2);
    }

    private static void awaitAllHandled(Scene scene, Failing listener) {
        await().until(() -> listener.failures.get() > 0);
        scene.send("c");
        scene.awaitAllCommitted();
        assertThat(scene.effects).containsExactly("a", "b", "c");
    }

    @ParameterizedTest(name = "{0} {1} batch {2}")
    @CsvSource({
        "BEFORE_COMMIT, MANUAL, false",
        "BEFORE_COMMIT, MANUAL_IMMEDIATE, true",
        "AFTER_COMMIT, MANUAL_IMMEDIATE, false",
        "ASSIGNED, MANUAL, false",
    })
    @DisplayName("K12 a rebalance listener throws: what the handler had queued is handled when it is delivered again")
    void revoked(Fails fails, AckMode mode, boolean batch) {
        try (Scene scene = scene()) {
            Failing listener = new Failing(fails);
            var container = scene.start(container(scene, "eager", properties(scene, mode, listener, batch)));
            sendQueued(scene, listener);
            container.enforceRebalance();
            awaitAllHandled(scene, listener);
        }
    }

    @Test
    @DisplayName("K12 a rebalance listener throws while a partition is to be paused: the others go on")
    void pausedPartition() {
        try (Scene scene =
                new Scene(2, policy -> policy.lease(Duration.ofSeconds(1)).maxProcessingTime(LONGEST_WORK))) {
            Failing listener = new Failing(Fails.BEFORE_COMMIT);
            var container = scene.start(container(scene, "eager", properties(scene, AckMode.MANUAL, listener, false)));
            scene.sendTo(0, "a");
            await().until(() -> listener.queue.size() == 1);
            container.pausePartition(new TopicPartition(scene.topic, 1));
            container.enforceRebalance();
            await().until(() -> listener.failures.get() > 0);
            scene.sendTo(0, "b");
            scene.awaitCommitted(2);
            assertThat(scene.effects).containsExactly("a", "b");
        }
    }

    @Test
    @DisplayName(
            "K12 so it is when it throws in a cooperative rebalance, and the partition comes back from another member")
    void cooperative() {
        try (Scene scene = scene()) {
            Failing listener = new Failing(Fails.BEFORE_COMMIT);
            scene.start(
                    scene.container(properties(scene, AckMode.MANUAL, listener, false), TakeOverAssignor.ranked(1)));
            sendQueued(scene, listener);
            Map<String, Object> config = new HashMap<>(scene.consumerConfig());
            config.putAll(TakeOverAssignor.ranked(2));
            takenOverAndGivenBack(scene, config);
            awaitAllHandled(scene, listener);
        }
    }

    @Test
    @DisplayName(
            "K12 a rebalance listener throws, and its container is paused and resumed later: it goes on with what is left")
    void pausedLater() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            Failing listener = new Failing(Fails.BEFORE_COMMIT);
            var container = scene.start(
                    scene.container(properties(scene, AckMode.MANUAL, listener, false), TakeOverAssignor.ranked(1)));
            await().until(() -> container.getAssignedPartitions().size() == 2); // otherwise nothing is taken over
            var other = scene.takeOver();
            assertThat(listener.failures).hasValue(1);
            scene.sendTo(1, "a");
            await().until(() -> scene.effects.contains("a"));
            container.pause();
            await().until(container::isContainerPaused);
            container.resume();
            scene.sendTo(1, "b");
            await().until(() -> scene.effects.contains("b"));
            assertThat(other.assignment()).containsExactly(new TopicPartition(scene.topic, 0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"eager", "consumer"})
    @DisplayName("K12 so it is when it throws because partitions are lost")
    void lost(String protocol) throws InterruptedException {
        try (Scene scene = scene()) {
            Failing listener = new Failing(Fails.LOST);
            CountDownLatch expelled = new CountDownLatch(1);
            ContainerProperties properties = properties(scene, AckMode.MANUAL, listener, false);
            var container = container(scene, protocol, properties);
            container.setRecordInterceptor((record, consumer) -> {
                if (Scene.id(record).equals("b") && listener.queueing) {
                    awaitExpelled(expelled);
                }
                return record;
            });
            scene.start(container);
            scene.send("a");
            await().until(() -> listener.queue.size() == 1);
            scene.send("b");
            takenOverAndGivenBack(scene, config(scene, protocol));
            expelled.countDown();
            awaitAllHandled(scene, listener);
        }
    }

    @Test
    @DisplayName("K12 a rebalance listener is woken up, and a partition that is to be paused leaves: the others go on")
    void wokenUp() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            AtomicInteger wakeUps = new AtomicInteger();
            ContainerProperties properties = scene.properties(AckMode.BATCH, (MessageListener<String, String>)
                    record -> scene.effect().accept(record));
            properties.setConsumerRebalanceListener(new ConsumerAwareRebalanceListener() {
                @Override
                public void onPartitionsRevokedBeforeCommit(
                        Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                    if (wakeUps.getAndIncrement() == 0) {
                        throw new WakeupException(); // as of a call of the consumer
                    }
                }
            });
            var container = container(scene, "eager", properties);
            List<TopicPartition> both = List.of(new TopicPartition(scene.topic, 0), new TopicPartition(scene.topic, 1));
            scene.start(container);
            await().until(() -> container.getAssignedPartitions().containsAll(both));
            both.forEach(container::pausePartition); // as holds do
            await().until(() -> both.stream().allMatch(container::isPartitionPaused));
            try (var other = joined(scene)) {
                await().until(() -> {
                    other.poll(Duration.ofMillis(50));
                    return other.assignment().size() == 1 && wakeUps.get() > 0;
                });
                both.forEach(each -> {
                    if (!other.assignment().contains(each)) {
                        container.resumePartition(each);
                        scene.sendTo(each.partition(), "a");
                    }
                });
                await().until(() -> scene.effects.contains("a"));
            }
        }
    }

    /** Another member of the group, with the eager protocol; it commits nothing by itself. */
    private static KafkaConsumer<String, String> joined(Scene scene) {
        Map<String, Object> config = config(scene, "eager");
        config.put("enable.auto.commit", false);
        KafkaConsumer<String, String> other =
                new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
        other.subscribe(List.of(scene.topic));
        return other;
    }

    /** Another member gets the partition, commits nothing and leaves. */
    private static void takenOverAndGivenBack(Scene scene, Map<String, Object> config) {
        config.put("enable.auto.commit", false);
        try (var other = new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer())) {
            other.subscribe(List.of(scene.topic));
            await().until(() -> {
                other.poll(Duration.ofMillis(50));
                return !other.assignment().isEmpty();
            });
        }
    }

    private static void awaitExpelled(CountDownLatch expelled) {
        try {
            assertThat(expelled.await(Scene.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
