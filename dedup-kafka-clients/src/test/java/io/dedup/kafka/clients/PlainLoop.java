package io.dedup.kafka.clients;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.DedupIdStamp;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.memory.InMemoryDedupStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** For {@link WithoutSpringTest}: uses nothing but dedup and Kafka's client. Sends each record twice. */
public final class PlainLoop implements Callable<List<String>> {
    private final String bootstrap;

    /** Called by reflection. */
    public PlainLoop(String bootstrap) {
        this.bootstrap = bootstrap;
    }

    private static Map<String, MessageIdExtractor<ConsumerRecord<?, ?>>> ids() {
        Map<String, MessageIdExtractor<ConsumerRecord<?, ?>>> ids = new LinkedHashMap<>();
        ids.put("header", KafkaMessageIds.header("id"));
        ids.put("key", KafkaMessageIds.key());
        ids.put("json", KafkaMessageIds.json("/id"));
        ids.put("cloudEvent", KafkaMessageIds.cloudEvent());
        return ids;
    }

    @Override
    public List<String> call() throws Exception {
        List<String> working = new ArrayList<>();
        for (var each : ids().entrySet()) {
            if (handled(each.getValue()) == 1) {
                working.add(each.getKey());
            }
        }
        if (handled(KafkaMessageIds.coordinates()) == 2) {
            working.add("coordinates");
        }
        ProducerRecord<String, String> record = new ProducerRecord<>("any", "value");
        if (DedupIdStamp.<String, String>random("id").onSend(record).headers().lastHeader("id") != null) {
            working.add("stamp");
        }
        return working;
    }

    private int handled(MessageIdExtractor<ConsumerRecord<?, ?>> id) throws Exception {
        String topic = "plain-" + UUID.randomUUID();
        Map<String, Object> config = Map.of(
                "bootstrap.servers",
                bootstrap,
                "auto.offset.reset",
                "earliest",
                "group.id",
                topic,
                "enable.auto.commit",
                "false");
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
                var producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", bootstrap), new StringSerializer(), new StringSerializer());
                Deduplicator deduplicator = Deduplicators.builder(new InMemoryDedupStore())
                        .consumer("billing")
                        .build();
                DedupPoll<String, String> poll = deduplicated(admin, topic, deduplicator, id, config)) {
            for (int i = 0; i < 2; i++) {
                var unused = producer.send(record(topic)).get();
            }
            int handled = 0;
            for (int i = 0; i < 1_000 && !hasReadBoth(poll.consumer(), new TopicPartition(topic, 0)); i++) {
                handled += poll.poll(Duration.ofMillis(50), PlainLoop::ignore);
            }
            return handled;
        }
    }

    private static boolean hasReadBoth(Consumer<?, ?> consumer, TopicPartition partition) {
        return consumer.assignment().contains(partition) && consumer.position(partition) == 2;
    }

    private static DedupPoll<String, String> deduplicated(
            Admin admin,
            String topic,
            Deduplicator deduplicator,
            MessageIdExtractor<ConsumerRecord<?, ?>> id,
            Map<String, Object> config)
            throws Exception {
        admin.createTopics(List.of(new NewTopic(topic, 1, (short) 1))).all().get();
        return DedupPoll.builder(deduplicator)
                .id(id)
                .open(new KafkaConsumer<>(config, new StringDeserializer(), new StringDeserializer()), List.of(topic));
    }

    private static ProducerRecord<String, String> record(String topic) {
        ProducerRecord<String, String> record = new ProducerRecord<>(topic, "k1", "{\"id\": 1, \"source\": \"s\"}");
        record.headers().add("id", "h1".getBytes(StandardCharsets.UTF_8));
        return record;
    }

    private static void ignore(ConsumerRecord<String, String> record) {}
}
