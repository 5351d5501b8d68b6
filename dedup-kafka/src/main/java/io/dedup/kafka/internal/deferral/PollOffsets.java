package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.poll.LogStarts;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ListenerExecutionFailedException;
import org.springframework.kafka.listener.ListenerUtils;
import org.springframework.kafka.listener.LoggingCommitCallback;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Commits the finished part of a poll, and seeks back to the rest. */
public final class PollOffsets {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final OffsetCommitCallback LOGGING = new LoggingCommitCallback();

    private PollOffsets() {}

    static List<ConsumerRecord<?, ?>> listOf(ConsumerRecords<?, ?> data) {
        List<ConsumerRecord<?, ?>> records = new ArrayList<>(data.count());
        data.forEach(records::add);
        return records;
    }

    static void seekTo(List<ConsumerRecord<?, ?>> records, Consumer<?, ?> consumer) {
        LogStarts.seekBack(firsts(records, consumer), consumer);
    }

    /** Seeks to deferred records, except where their listener has sought back to them, or to below them, itself. */
    static void seekToDeferred(
            List<? extends ConsumerRecord<?, ?>> records, Consumer<?, ?> consumer, @Nullable BoundConsumer bound) {
        Map<TopicPartition, Long> firsts = firsts(records, consumer);
        if (bound != null) {
            firsts.entrySet().removeIf(each -> bound.soughtBack().isMovedTo(each.getKey(), each.getValue()));
        }
        LogStarts.seekBack(firsts, consumer);
        if (bound != null) {
            bound.soughtBack().limitLaterSeeks(firsts.keySet(), Map.of());
        }
    }

    /**
     * The error handler has ended after a failure; it has moved the positions back, or has failed itself. If it isn't one that a listener has thrown as it is, what the listener was given
     * may have succeeded and be rolled back: a seek that it has asked for mustn't pass that.
     *
     * @param partitions those of which the error handler was given records
     */
    static void failed(Exception thrown, Collection<TopicPartition> partitions, @Nullable BoundConsumer bound) {
        boolean byListener =
                thrown instanceof ListenerExecutionFailedException && RecordFailedException.in(thrown) == null;
        if (bound != null && !byListener) {
            bound.soughtBack().limitLaterSeeks(partitions, bound.outstanding().firstDropped());
        }
    }

    private static Map<TopicPartition, Long> firsts(
            List<? extends ConsumerRecord<?, ?>> records, Consumer<?, ?> consumer) {
        Map<TopicPartition, Long> firsts = new LinkedHashMap<>();
        records.forEach(record -> firsts.putIfAbsent(Partitions.of(record), record.offset()));
        firsts.keySet().retainAll(consumer.assignment()); // a retry loop polls, and may have lost partitions
        return firsts;
    }

    /** Commits the finished part of a batch; a batch listener's container commits whole batches only. */
    static void commit(
            List<ConsumerRecord<?, ?>> finished, Consumer<?, ?> consumer, MessageListenerContainer container) {
        try {
            commitFinished(finished, consumer, container);
        } catch (RuntimeException e) {
            // The records are done; redelivered, they are duplicates. But the seek that follows must not be skipped.
            log.warn(
                    "Cannot commit the offsets before a deferred record in listener container {}; a later commit covers"
                            + " them",
                    container.getListenerId(),
                    e);
        }
    }

    private static void commitFinished(
            List<ConsumerRecord<?, ?>> finished, Consumer<?, ?> consumer, MessageListenerContainer container) {
        Map<TopicPartition, OffsetAndMetadata> offsets = behind(finished, container);
        offsets.keySet().retainAll(consumer.assignment());
        if (offsets.isEmpty() || container.getGroupId() == null) {
            return;
        }
        ContainerProperties properties = container.getContainerProperties();
        if (properties.isSyncCommits()) {
            consumer.commitSync(offsets, properties.getSyncCommitTimeout());
        } else {
            OffsetCommitCallback callback = properties.getCommitCallback();
            consumer.commitAsync(offsets, callback == null ? LOGGING : callback);
        }
    }

    /** The offsets to commit when these records are finished. */
    public static Map<TopicPartition, OffsetAndMetadata> behind(
            List<? extends ConsumerRecord<?, ?>> finished, MessageListenerContainer container) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new LinkedHashMap<>();
        for (ConsumerRecord<?, ?> record : finished) {
            offsets.put(
                    Partitions.of(record),
                    ListenerUtils.createOffsetAndMetadata(container, record.offset() + 1)); // may call user code
        }
        return offsets;
    }

    /** Seeks in partitions whose position is beyond these records; it may have been moved to before them already. */
    static void seekBackTo(List<ConsumerRecord<?, ?>> records, Consumer<?, ?> consumer) {
        seekTo(
                records.stream()
                        .filter(record -> consumer.assignment().contains(Partitions.of(record)))
                        .filter(record -> consumer.position(Partitions.of(record)) > record.offset())
                        .toList(),
                consumer);
    }

    /** The number of records of a poll up to and including this one; 0 if it isn't among them. */
    static int countUpTo(List<ConsumerRecord<?, ?>> records, ConsumerRecord<?, ?> last) {
        for (int i = 0; i < records.size(); i++) {
            ConsumerRecord<?, ?> each = records.get(i);
            if (each.offset() == last.offset()
                    && each.partition() == last.partition()
                    && each.topic().equals(last.topic())) {
                return i + 1;
            }
        }
        return 0;
    }

    /**
     * Returns what remains of a poll, with the partitions in the poll's order. The container commits everything up to
     * the first remaining record, but spring-kafka's error handlers return the partitions in hash order.
     */
    static <K, V> ConsumerRecords<K, V> inOrderOf(ConsumerRecords<?, ?> poll, ConsumerRecords<K, V> remaining) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> ordered = new LinkedHashMap<>();
        for (TopicPartition partition : poll.partitions()) {
            List<ConsumerRecord<K, V>> records = remaining.records(partition);
            if (!records.isEmpty()) {
                ordered.put(partition, records);
            }
        }
        return PollResults.of(ordered, remaining);
    }
}
