package io.dedup.failover.load;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A Kafka topic's producer (idempotent, {@code acks=all}) and what its group has committed. Thread-safe. */
public final class KafkaTopic implements AutoCloseable {
    /** Of every topic. */
    public static final int PARTITIONS = 6;

    /** The header that has the business ID. */
    static final String ID = "id";

    private static final Logger log = LoggerFactory.getLogger(KafkaTopic.class);

    private final String topic;
    private final KafkaProducer<String, String> producer;
    private final Admin admin;

    /** Of a topic that exists; the group has its name. */
    public KafkaTopic(String bootstrap, String topic) {
        this.topic = topic;
        Map<String, Object> config = new HashMap<>();
        config.put("bootstrap.servers", bootstrap);
        config.put("acks", "all");
        config.put("enable.idempotence", true);
        config.put("linger.ms", 2);
        config.put("request.timeout.ms", 5_000);
        config.put("delivery.timeout.ms", 30_000);
        config.put("metadata.max.age.ms", 5_000);
        this.producer = new KafkaProducer<>(config, new StringSerializer(), new StringSerializer());
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    /** To any partition: copies meet in several consumers. */
    public CompletableFuture<?> send(String id) {
        CompletableFuture<Object> confirmed = new CompletableFuture<>();
        int partition = ThreadLocalRandom.current().nextInt(PARTITIONS);
        try {
            ProducerRecord<String, String> record = new ProducerRecord<>(topic, partition, null, id);
            record.headers().add(ID, id.getBytes(StandardCharsets.UTF_8));
            Future<RecordMetadata> unused = producer.send(record, (metadata, failure) -> {
                if (failure == null) {
                    confirmed.complete(metadata);
                } else {
                    confirmed.completeExceptionally(failure);
                }
            });
        } catch (RuntimeException e) {
            confirmed.completeExceptionally(e);
        }
        return confirmed;
    }

    /** Whether the group has committed the end of every partition. */
    public boolean isConsumed() throws InterruptedException {
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = admin.listConsumerGroupOffsets(topic)
                    .partitionsToOffsetAndMetadata()
                    .get();
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            IntStream.range(0, PARTITIONS).forEach(i -> ends.put(new TopicPartition(topic, i), OffsetSpec.latest()));
            for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end :
                    admin.listOffsets(ends).all().get().entrySet()) {
                OffsetAndMetadata offset = committed.get(end.getKey());
                if ((offset == null ? 0 : offset.offset()) < end.getValue().offset()) {
                    return false;
                }
            }
            return true;
        } catch (ExecutionException e) {
            log.info("the broker doesn't say what is committed: {}", String.valueOf(e.getCause()));
            return false;
        }
    }

    @Override
    public void close() {
        producer.close(Duration.ofSeconds(5));
        admin.close(Duration.ofSeconds(5));
    }
}
