package io.dedup.simulation.kafka;

import static java.util.Objects.requireNonNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;

/** The logs of one topic's partitions, and the offsets that one group has committed. Thread-safe. */
public final class SimulatedBroker {
    private static final class Log {
        private final List<ConsumerRecord<String, String>> records = new ArrayList<>();
        private long begin;
        private long end;
    }

    private final String topic;
    private final Map<TopicPartition, Log> logs = new LinkedHashMap<>();
    private final Map<TopicPartition, Long> committed = new HashMap<>();
    private final List<String> outputs = new ArrayList<>();
    private int generation;

    /** A topic whose partitions are empty; the group has committed their beginnings. */
    public SimulatedBroker(String topic, int partitions) {
        this.topic = topic;
        for (int partition = 0; partition < partitions; partition++) {
            TopicPartition each = new TopicPartition(topic, partition);
            logs.put(each, new Log());
            committed.put(each, 0L);
        }
    }

    private Log log(TopicPartition partition) {
        return requireNonNull(logs.get(partition), () -> "no partition " + partition);
    }

    public String topic() {
        return topic;
    }

    public synchronized List<TopicPartition> partitions() {
        return List.copyOf(logs.keySet());
    }

    /** Appends a record with this header {@code id}. Returns its offset. */
    public synchronized long append(int partition, String id, String value) {
        Log log = log(new TopicPartition(topic, partition));
        RecordHeaders headers = new RecordHeaders();
        headers.add("id", id.getBytes(StandardCharsets.UTF_8));
        log.records.add(new ConsumerRecord<>(
                topic,
                partition,
                log.end,
                1_700_000_000_000L + log.end,
                TimestampType.CREATE_TIME,
                0,
                value.length(),
                null,
                value,
                headers,
                Optional.of(0)));
        return log.end++;
    }

    /** Leaves an offset without a record, as a transaction's marker or compaction does. */
    public synchronized void gap(int partition) {
        log(new TopicPartition(topic, partition)).end++;
    }

    /** Retention deletes the records below this offset. */
    public synchronized void deleteBelow(TopicPartition partition, long offset) {
        Log log = log(partition);
        log.begin = Math.max(log.begin, Math.min(offset, log.end));
        log.records.removeIf(record -> record.offset() < log.begin);
    }

    public synchronized long begin(TopicPartition partition) {
        return log(partition).begin;
    }

    public synchronized long end(TopicPartition partition) {
        return log(partition).end;
    }

    synchronized @Nullable Long committed(TopicPartition partition) {
        return committed.get(partition);
    }

    /** The committed offset of each partition. */
    public synchronized Map<TopicPartition, Long> committed() {
        return new LinkedHashMap<>(committed);
    }

    synchronized void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> committed.put(partition, offset.offset()));
    }

    /** A transaction has committed these outputs. */
    synchronized void output(List<String> values) {
        outputs.addAll(values);
    }

    /** What transactions have committed. */
    public synchronized List<String> outputs() {
        return List.copyOf(outputs);
    }

    synchronized void generation(int current) {
        generation = current;
    }

    synchronized boolean isCurrent(int member) {
        return member == generation;
    }

    /** At most so many records from this offset on. */
    synchronized List<ConsumerRecord<String, String>> read(TopicPartition partition, long from, int atMost) {
        List<ConsumerRecord<String, String>> read = new ArrayList<>();
        for (ConsumerRecord<String, String> record : log(partition).records) {
            if (record.offset() >= from && read.size() < atMost) {
                read.add(record);
            }
        }
        return read;
    }

    /** Every record that is or was in a log, by its partition and offset. */
    public synchronized Collection<ConsumerRecord<String, String>> records() {
        List<ConsumerRecord<String, String>> all = new ArrayList<>();
        logs.values().forEach(log -> all.addAll(log.records));
        return all;
    }
}
