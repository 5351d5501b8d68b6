package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonDelegatingErrorHandler;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonMixedErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerAwareMessageListener;
import org.springframework.kafka.listener.ConsumerAwareRebalanceListener;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.util.backoff.FixedBackOff;

/** K21: while a listener or an error handler has records, it may poll. What such a poll brings reaches no listener. */
@DisplayName("K21: what the container hasn't polled itself is fetched again")
class ForeignPollTest {
    private static final Map<String, Map<String, Object>> PROTOCOLS = Map.of(
            "cooperative", Map.of("partition.assignment.strategy", CooperativeStickyAssignor.class.getName()),
            "eager", Map.of(),
            "consumer", Map.of("group.protocol", "consumer"));

    private final List<String> polledElsewhere = new CopyOnWriteArrayList<>();
    private final AtomicInteger polls = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();
    private final AtomicBoolean down = new AtomicBoolean(true);

    /** Backs off as spring-kafka's own handlers do, and doesn't learn of partitions that arrive meanwhile. */
    private static final class Wrapping implements CommonErrorHandler {
        private final CommonErrorHandler wrapped;

        Wrapping(CommonErrorHandler wrapped) {
            this.wrapped = wrapped;
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            wrapped.handleBatch(thrown, data, consumer, container, invokeListener);
        }
    }

    /** Polls without pausing anything, to stay in its group. */
    private final class Polling implements CommonErrorHandler {
        private final DefaultErrorHandler afterwards = new DefaultErrorHandler(new FixedBackOff(0, 10));

        private void pollWhileDown(Consumer<?, ?> consumer) {
            while (down.get()) {
                consumer.poll(Duration.ofMillis(20)).forEach(record -> polledElsewhere.add(Scene.id(record)));
            }
        }

        @Override
        public boolean seeksAfterHandling() {
            return true;
        }

        @Override
        public void handleRemaining(
                Exception thrown,
                List<ConsumerRecord<?, ?>> records,
                Consumer<?, ?> consumer,
                MessageListenerContainer container) {
            pollWhileDown(consumer);
            afterwards.handleRemaining(thrown, records, consumer, container);
        }

        @Override
        public void handleBatch(
                Exception thrown,
                ConsumerRecords<?, ?> data,
                Consumer<?, ?> consumer,
                MessageListenerContainer container,
                Runnable invokeListener) {
            pollWhileDown(consumer);
            invokeListener.run();
        }
    }

    private CommonErrorHandler handler(String name) {
        DefaultErrorHandler backsOff = new DefaultErrorHandler(new FixedBackOff(50, FixedBackOff.UNLIMITED_ATTEMPTS));
        return switch (name) {
            case "mixed" -> new CommonMixedErrorHandler(new DefaultErrorHandler(), backsOff);
            case "delegating" -> new CommonDelegatingErrorHandler(backsOff);
            case "wrapping" -> new Wrapping(backsOff);
            default -> new Polling();
        };
    }

    private ConcurrentMessageListenerContainer<String, String> container(
            Scene scene, String protocol, boolean batches, String handler, boolean watched) {
        MessageListener<String, String> records = record -> {
            if (down.get()) {
                failures.incrementAndGet();
                throw new IllegalStateException("what it calls is down");
            }
            scene.effect().accept(record);
        };
        BatchMessageListener<String, String> batch = all -> all.forEach(records::onMessage);
        var factory =
                new DefaultKafkaConsumerFactory<String, String>(
                        settings(scene, protocol), new StringDeserializer(), new StringDeserializer()) {
                    @Override
                    protected Consumer<String, String> createKafkaConsumer(Map<String, Object> properties) {
                        return watched
                                ? super.createKafkaConsumer(properties)
                                : counted(new KafkaConsumer<>(
                                        properties, new StringDeserializer(), new StringDeserializer()));
                    }
                };
        factory.addPostProcessor(this::counted);
        var container = new ConcurrentMessageListenerContainer<String, String>(
                factory, scene.properties(AckMode.BATCH, batches ? batch : records));
        container.setBeanName("c-" + scene.topic);
        container.setCommonErrorHandler(handler(handler));
        return container;
    }

    private Consumer<String, String> counted(Consumer<String, String> real) {
        return FaultyConsumers.around(real, (method, argument) -> {
            if (method.equals("poll")) {
                polls.incrementAndGet();
            }
        });
    }

    private static Map<String, Object> settings(Scene scene, String protocol) {
        Map<String, Object> settings = scene.consumerConfig();
        settings.putAll(PROTOCOLS.get(protocol));
        if (protocol.equals("consumer")) { // the broker decides about these
            settings.keySet().removeAll(List.of("session.timeout.ms", "heartbeat.interval.ms"));
        }
        return settings;
    }

    private static KafkaConsumer<String, String> member(Scene scene, String protocol) {
        Map<String, Object> settings = settings(scene, protocol);
        settings.put("enable.auto.commit", false); // it handles nothing
        KafkaConsumer<String, String> member =
                scene.closeLater(new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer()));
        member.subscribe(List.of(scene.topic));
        return member;
    }

    @ParameterizedTest(name = "{0}, {1}, batches {2}, watched {3}")
    @CsvSource({
        "eager, mixed, true, true",
        "cooperative, delegating, true, true",
        "consumer, wrapping, true, true",
        "cooperative, polling, true, true",
        "eager, polling, false, true",
        "eager, wrapping, true, false",
        "eager, polling, false, false"
    })
    @DisplayName("K21 of a partition that arrives while a failed record's or batch's error handler polls")
    void partitionArrives(String protocol, String handler, boolean batches, boolean watched) {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.commitTheBegin(2);
            var container = scene.start(container(scene, protocol, batches, handler, watched));
            KafkaConsumer<String, String> leaves = member(scene, protocol);
            await().until(() -> {
                leaves.poll(Duration.ofMillis(50));
                return leaves.assignment().size() == 1 && assigned(container).size() == 1;
            });
            int stays = assigned(container).iterator().next().partition();
            scene.sendTo(stays, "fails");
            await().until(() -> failures.get() > 0);
            for (String id : List.of("a", "b", "c")) {
                scene.sendTo(1 - stays, id);
            }
            leaves.close();
            await().until(() -> assigned(container).size() == 2);
            int before = polls.get();
            await().until(() -> polls.get() > before + 5);
            down.set(false);
            await().until(() -> scene.effects.size() == 4);
            scene.sendTo(1 - stays, "last"); // its commit passes whatever was dropped
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("fails", "a", "b", "c", "last");
            assertThat(polledElsewhere).isEmpty();
        }
    }

    private static Set<TopicPartition> assigned(ConcurrentMessageListenerContainer<?, ?> container) {
        return container.getAssignedPartitions() == null ? Set.of() : Set.copyOf(container.getAssignedPartitions());
    }

    @Test
    @DisplayName(
            "K21 of a listener that polls its container's consumer: it gets nothing, and the records come to it later")
    void listenerPolls() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            ConsumerAwareMessageListener<String, String> listener = (record, consumer) -> {
                if (Scene.id(record).equals("a")) {
                    scene.send("b", "c");
                    scene.sendTo(1, "d");
                    for (int i = 0; i < 5; i++) {
                        consumer.poll(Duration.ofMillis(100)).forEach(each -> polledElsewhere.add("one"));
                    }
                    consumer.commitSync(); // the positions
                }
                scene.effect().accept(record);
            };
            scene.send("a");
            scene.start(scene.container(AckMode.RECORD, listener));
            scene.awaitEffectsOf("a", "b", "c", "d");
            scene.awaitAllCommitted();
            assertThat(polledElsewhere).isEmpty();
        }
    }

    @Test
    @DisplayName(
            "K21 fixTxOffsets: a partition that leaves while an error handler polls isn't committed up to its position")
    void partitionLeaves() {
        try (Scene scene = new Scene(2, policy -> policy)) {
            scene.commitTheBegin(2);
            var container = container(scene, "eager", true, "mixed", true);
            container.getContainerProperties().setFixTxOffsets(true);
            scene.start(container);
            await().until(() -> assigned(container).size() == 2);
            scene.sendTo(0, "a");
            scene.sendTo(1, "b");
            await().until(() -> failures.get() > 0);
            KafkaConsumer<String, String> other = member(scene, "eager");
            await().until(() -> {
                other.poll(Duration.ofMillis(50));
                return other.assignment().size() == 1 && assigned(container).size() == 1;
            });
            assertThat(scene.committed().values()).containsOnly(0L);
            other.close();
            down.set(false);
            scene.awaitAllCommitted();
            assertThat(scene.effects).containsExactlyInAnyOrder("a", "b");
        }
    }

    @Test
    @DisplayName(
            "K21 of a listener that pauses its container and polls through a rebalance: the container stays paused")
    void pausedByListener() {
        try (Scene scene = new Scene()) {
            AtomicInteger assignments = new AtomicInteger();
            AtomicReference<MessageListenerContainer> running = new AtomicReference<>();
            ConsumerAwareMessageListener<String, String> listener = (record, consumer) -> {
                if (Scene.id(record).equals("a")) {
                    running.get().pause();
                    int before = assignments.get();
                    consumer.enforceRebalance();
                    while (assignments.get() == before) {
                        consumer.poll(Duration.ofMillis(50));
                    }
                }
                scene.effect().accept(record);
            };
            ContainerProperties properties = scene.properties(AckMode.RECORD, listener);
            properties.setConsumerRebalanceListener(new ConsumerAwareRebalanceListener() {
                @Override
                public void onPartitionsAssigned(Consumer<?, ?> consumer, Collection<TopicPartition> partitions) {
                    assignments.incrementAndGet();
                }
            });
            var factory = new DefaultKafkaConsumerFactory<>(
                    scene.consumerConfig(), new StringDeserializer(), new StringDeserializer());
            factory.addPostProcessor(this::counted);
            var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
            container.setBeanName("c-" + scene.topic);
            running.set(container);
            scene.start(container);
            scene.send("a");
            scene.awaitEffects("a");
            scene.send("b");
            int before = polls.get();
            await().until(() -> polls.get() > before + 5);
            assertThat(scene.effects).containsExactly("a");
            container.resume();
            scene.awaitEffects("a", "b");
            scene.awaitAllCommitted();
        }
    }
}
