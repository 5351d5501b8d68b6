package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.plan.Traffic;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What the broker knows: topics, what was acknowledged, and dead letters. */
final class Topics implements AutoCloseable {
    private static final short ONE = 1;

    private final String bootstrap;
    private final String run;
    private final Admin admin;

    Topics(String bootstrap, String run) {
        this.bootstrap = bootstrap;
        this.run = run;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    }

    void create(Collection<Row> rows) throws ExecutionException, InterruptedException {
        Set<NewTopic> topics = new HashSet<>();
        for (Row row : rows) {
            topics.add(new NewTopic(Assignment.topic(run, row), Traffic.PARTITIONS, ONE));
            topics.add(new NewTopic(Assignment.deadLetters(run, row), 1, ONE));
        }
        admin.createTopics(topics).all().get();
    }

    void delete(Collection<Row> rows) throws ExecutionException, InterruptedException {
        Set<String> topics = new HashSet<>();
        for (Row row : rows) {
            topics.add(Assignment.topic(run, row));
            topics.add(Assignment.deadLetters(run, row));
        }
        admin.deleteTopics(topics).all().get();
    }

    boolean isConsumed(Row row) throws ExecutionException, InterruptedException {
        long[] committed = committed(row);
        for (Map.Entry<TopicPartition, ListOffsetsResultInfo> end : ends(row).entrySet()) {
            if (committed[end.getKey().partition()] < end.getValue().offset()) {
                return false;
            }
        }
        return true;
    }

    /** By partition. */
    long[] committed(Row row) throws ExecutionException, InterruptedException {
        long[] committed = new long[Traffic.PARTITIONS];
        Map<TopicPartition, OffsetAndMetadata> offsets = admin.listConsumerGroupOffsets(Assignment.topic(run, row))
                .partitionsToOffsetAndMetadata()
                .get();
        offsets.forEach((partition, offset) -> committed[partition.partition()] = offset.offset());
        return committed;
    }

    private Map<TopicPartition, ListOffsetsResultInfo> ends(Row row) throws ExecutionException, InterruptedException {
        Map<TopicPartition, OffsetSpec> specs = new HashMap<>();
        for (int i = 0; i < Traffic.PARTITIONS; i++) {
            specs.put(new TopicPartition(Assignment.topic(run, row), i), OffsetSpec.latest());
        }
        return admin.listOffsets(specs).all().get();
    }

    /** IDs. */
    Set<String> deadLetters(Row row) {
        TopicPartition partition = new TopicPartition(Assignment.deadLetters(run, row), 0);
        Set<String> ids = new HashSet<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", bootstrap), new StringDeserializer(), new StringDeserializer())) {
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    ids.add(new String(record.headers().lastHeader("id").value(), StandardCharsets.UTF_8));
                }
            }
        }
        return ids;
    }

    @Override
    public void close() {
        admin.close();
    }
}
