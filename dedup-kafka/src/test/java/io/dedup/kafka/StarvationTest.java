package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.kafka.internal.spring.PollResults;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/**
 * The trap: a deferral makes the container drop the rest of its poll and seek back to it, and one hold lasts about as long as it
 * takes to fetch that again. With several held partitions each poll then brings another one whose hold has just ended; where its
 * record stands before those of the healthy partitions, these are dropped with each poll, and their turn never comes.
 */
class StarvationTest {
    private static final int HELD = 6;
    private static final int HEALTHY = 20;
    /** Each may be met once for the first time, and polls without a healthy record in them happen. */
    private static final int POLLS = 5 * HELD;

    /** How many returned a record that is in flight elsewhere. */
    private final AtomicInteger pollsWithHeld = new AtomicInteger();

    /** Kafka's consumer may return partitions in any order; this one returns the held ones first each time. */
    private ConsumerRecords<String, String> heldFirst(ConsumerRecords<String, String> polled) {
        Map<TopicPartition, List<ConsumerRecord<String, String>>> ordered = new LinkedHashMap<>();
        polled.partitions().stream()
                .sorted(Comparator.comparing(TopicPartition::partition))
                .forEach(partition -> ordered.put(partition, polled.records(partition)));
        if (ordered.keySet().stream().anyMatch(partition -> partition.partition() < HELD)) {
            pollsWithHeld.incrementAndGet();
        }
        return PollResults.of(ordered, polled);
    }

    @SuppressWarnings("unchecked")
    private Consumer<String, String> heldFirst(Consumer<String, String> real) {
        return (Consumer<String, String>) Proxy.newProxyInstance(
                StarvationTest.class.getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    try {
                        Object answer = method.invoke(real, arguments);
                        return method.getName().equals("poll")
                                ? heldFirst((ConsumerRecords<String, String>) answer)
                                : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private ConcurrentMessageListenerContainer<String, String> container(Scene scene, boolean batch) {
        Object listener = batch
                ? (BatchMessageListener<String, String>) records -> records.forEach(scene.effect())
                : (MessageListener<String, String>) scene.effect()::accept;
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                scene.consumerConfig(), new StringDeserializer(), new StringDeserializer());
        factory.addPostProcessor(this::heldFirst);
        var container = new ConcurrentMessageListenerContainer<String, String>(
                factory, scene.properties(AckMode.BATCH, listener));
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    @ParameterizedTest(name = "batch={0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("K3 healthy partitions go on while records of many others are in flight elsewhere")
    void healthyPartitionsGoOn(boolean batch) {
        try (Scene scene = new Scene(HELD + 1, policy -> policy.maxDeferDelay(Duration.ofMillis(10)))) {
            for (int partition = 0; partition < HELD; partition++) {
                scene.runningElsewhere("held" + partition);
                scene.sendTo(partition, "held" + partition);
                scene.sendTo(partition, "behind" + partition);
            }
            IntStream.range(0, HEALTHY).forEach(i -> scene.sendTo(HELD, "healthy" + i));
            scene.start(container(scene, batch));

            await().pollInterval(Duration.ofMillis(1))
                    .until(() -> scene.effects.size() == HEALTHY || pollsWithHeld.get() > POLLS);

            assertThat(scene.effects)
                    .as("after %s polls with held records", pollsWithHeld)
                    .containsExactlyElementsOf(IntStream.range(0, HEALTHY)
                            .mapToObj(i -> "healthy" + i)
                            .toList());
            await().until(() -> scene.committed().getOrDefault(HELD, 0L) == HEALTHY);
            assertThat(scene.committed()).doesNotContainValue(1L);
        }
    }
}
