package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class PlainConsumerTest {
    @Test
    void aLoopHandlesEachOrderOnce() throws Exception {
        List<String> handled = new CopyOnWriteArrayList<>();
        try (KafkaServer kafka = KafkaServers.start();
                Deduplicator deduplicator = Deduplicators.builder(new InMemoryDedupStore())
                        .consumer("billing")
                        .build();
                KafkaProducer<String, String> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", kafka.bootstrapServers()),
                        new StringSerializer(),
                        new StringSerializer())) {
            kafka.createTopic("orders", 1);
            for (String order : List.of("o-1", "o-2", "o-1", "o-3")) {
                byte[] id = order.getBytes(StandardCharsets.UTF_8);
                var unused = producer.send(new ProducerRecord<>(
                                "orders", 0, order, order, List.of(new RecordHeader("order-id", id))))
                        .get();
            }
            KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                    Map.of(
                            "bootstrap.servers", kafka.bootstrapServers(),
                            "group.id", "billing",
                            "enable.auto.commit", "false",
                            "auto.offset.reset", "earliest"),
                    new StringDeserializer(),
                    new StringDeserializer());

            new PlainConsumer(deduplicator, record -> {}).run(consumer, () -> handled.size() < 3, handled::add);
        }
        assertThat(handled).containsExactly("o-1", "o-2", "o-3");
    }
}
