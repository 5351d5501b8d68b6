package io.dedup.simulation.share;

import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.AlterConfigOp.OpType;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.consumer.ShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;

/** A topic with one partition, and a share group, on the broker that tests share. */
final class RealShareGroup implements AutoCloseable {
    private final String topic;
    private final Admin admin;
    private final String servers = KafkaServers.shared().bootstrapServers();
    private final KafkaProducer<String, String> producer;

    RealShareGroup(Admin admin, String topic) {
        this.admin = admin;
        this.topic = topic;
        this.producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", servers, "linger.ms", 5_000, "acks", "all"),
                new StringSerializer(),
                new StringSerializer());
    }

    String topic() {
        return topic;
    }

    void configure(Duration lock) {
        List<AlterConfigOp> settings = new ArrayList<>();
        Map.of("share.auto.offset.reset", "earliest", "share.record.lock.duration.ms", Long.toString(lock.toMillis()))
                .forEach((name, value) -> settings.add(new AlterConfigOp(new ConfigEntry(name, value), OpType.SET)));
        var unused = get(
                admin.incrementalAlterConfigs(Map.of(new ConfigResource(ConfigResource.Type.GROUP, topic), settings))
                        .all());
    }

    ShareConsumer<String, String> consumer(boolean explicit, int maxPollRecords) {
        Map<String, Object> settings = new HashMap<>();
        settings.put("bootstrap.servers", servers);
        settings.put("group.id", topic);
        settings.put("max.poll.records", maxPollRecords);
        settings.put(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, explicit ? "explicit" : "implicit");
        settings.put("fetch.max.wait.ms", 100);
        ShareConsumer<String, String> consumer =
                new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
        consumer.subscribe(List.of(topic));
        return consumer;
    }

    /** In one batch. */
    void append(int count) {
        List<Future<RecordMetadata>> sent = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            sent.add(producer.send(new ProducerRecord<>(topic, 0, null, "r")));
        }
        producer.flush();
        sent.forEach(RealShareGroup::get);
    }

    void deleteRecords(long below) {
        var unused = get(admin.deleteRecords(Map.of(new TopicPartition(topic, 0), RecordsToDelete.beforeOffset(below)))
                .all());
    }

    @Override
    public void close() {
        producer.close();
    }

    private static <T> T get(Future<T> future) {
        try {
            return future.get();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
