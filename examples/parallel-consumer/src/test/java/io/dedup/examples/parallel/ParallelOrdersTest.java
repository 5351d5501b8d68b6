package io.dedup.examples.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.faults.FaultyStore;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class ParallelOrdersTest {
    private static final int ORDERS = 100;
    private final FaultyStore store = FaultyStore.around(new InMemoryDedupStore());
    private final Map<String, Integer> effects = new ConcurrentHashMap<>();
    private final List<String> deadLetters = new CopyOnWriteArrayList<>();

    private Deduplicator deduplicator() {
        return Deduplicators.builder(store).consumer("billing").build();
    }

    @Test
    void eachOrderTakesEffectOnceAndNothingIsCommittedBeforeIt() throws Exception {
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayFail = new CountDownLatch(1);
        ExecutorService elsewhere = Executors.newSingleThreadExecutor();
        try (KafkaServer kafka = KafkaServers.start();
                Deduplicator deduplicator = deduplicator();
                Deduplicator other = deduplicator()) {
            send(kafka);
            var failing = elsewhere.submit(() -> other.execute(other.key("orders", "o-7"), context -> {
                running.countDown();
                mayFail.await();
                throw new IllegalStateException("fails");
            }));
            running.await();
            store.down();
            ParallelStreamProcessor<String, String> processor =
                    ParallelStreamProcessor.createEosStreamProcessor(ParallelConsumerOptions.<String, String>builder()
                            .consumer(consumer(kafka))
                            .ordering(ProcessingOrder.KEY)
                            .maxConcurrency(8)
                            .retryDelayProvider(record -> Duration.ofMillis(200))
                            .build());
            processor.subscribe(List.of("orders"));
            processor.poll(new ParallelOrders(
                    deduplicator,
                    order -> effects.merge(order, 1, Integer::sum),
                    record -> deadLetters.add(record.value())));

            await().until(() -> store.struck() > 10);
            assertThat(effects).isEmpty();
            assertThat(committed(kafka)).isZero();

            store.heal();
            await().atMost(Duration.ofMinutes(3)).until(() -> effects.size() == ORDERS - 1);
            assertThat(committed(kafka)).isLessThanOrEqualTo(14); // of o-7, each order being there twice

            mayFail.countDown();
            assertThat(failing).failsWithin(Duration.ofSeconds(5));
            await().atMost(Duration.ofMinutes(3)).until(() -> effects.containsKey("o-7"));
            processor.closeDrainFirst();
            assertThat(committed(kafka)).isEqualTo(2 * ORDERS + 1);
            assertThat(deadLetters).containsExactly("without an ID");
        }
        elsewhere.shutdown();
        assertThat(effects)
                .hasSize(ORDERS)
                .allSatisfy((order, times) -> assertThat(times).isEqualTo(1));
    }

    private static void send(KafkaServer kafka) throws Exception {
        kafka.createTopic("orders", 1);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", kafka.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int i = 0; i < 2 * ORDERS; i++) {
                String id = "o-" + i / 2;
                var unused =
                        producer.send(new ProducerRecord<>("orders", id, id)).get();
            }
            var unused = producer.send(new ProducerRecord<>("orders", "without an ID"))
                    .get();
        }
    }

    private static KafkaConsumer<String, String> consumer(KafkaServer kafka) {
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", kafka.bootstrapServers());
        config.put("group.id", "billing");
        config.put("enable.auto.commit", "false");
        config.put("auto.offset.reset", "earliest");
        return new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer());
    }

    private static long committed(KafkaServer kafka) {
        TopicPartition partition = new TopicPartition("orders", 0);
        try (KafkaConsumer<String, String> reader = consumer(kafka)) {
            OffsetAndMetadata committed = reader.committed(Set.of(partition)).get(partition);
            return committed == null ? 0 : committed.offset();
        }
    }
}
