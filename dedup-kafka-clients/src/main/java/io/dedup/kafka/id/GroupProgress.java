package io.dedup.kafka.id;

import io.dedup.duplicate.DuplicateCause;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What consumers of a group have polled and committed, as far as this process knows. It proves that a record was delivered again
 * after its offset was committed. Reports only: nothing is committed or fetched by it. For adapters; applications need it for
 * nothing. Thread-safe.
 *
 * <p>A session is the time in which a consumer has a partition. A session is a replay if it began below an offset that the group
 * had committed before. The proof is a commit of this process, or one that is kept with a record which another session has
 * handled. So the copies of a replay before the first proof count as redelivered.
 */
public final class GroupProgress {
    /**
     * What is known of a partition; -1 for nothing.
     *
     * @param start the lowest offset that the session has polled
     * @param highBefore the highest one before its last poll
     * @param provedBefore up to where the group had committed before the session
     * @param committed up to where this process has committed
     */
    record Partition(
            @Nullable Object consumer, long start, long highBefore, long high, long provedBefore, long committed) {
        static final Partition NOTHING = new Partition(null, -1, -1, -1, -1, -1);

        Partition polled(Object by, long first, long last) {
            return consumer == by
                    ? new Partition(by, Math.min(start, first), high, Math.max(high, last), provedBefore, committed)
                    : new Partition(by, first, -1, last, Math.max(provedBefore, committed), committed);
        }

        Partition left() {
            return new Partition(null, -1, -1, -1, provedBefore, committed);
        }

        Partition committed(long offset) {
            return offset <= committed
                    ? this
                    : new Partition(consumer, start, highBefore, high, provedBefore, offset);
        }

        Partition proved(long offset) {
            return offset <= provedBefore
                    ? this
                    : new Partition(consumer, start, highBefore, high, offset, committed);
        }
    }

    private final Map<TopicPartition, Partition> partitions = new ConcurrentHashMap<>();

    /**
     * A consumer has polled these, and their deliveries have not been created.
     *
     * @param consumer any object that stands for the consumer
     */
    public void polled(Object consumer, ConsumerRecords<?, ?> records) {
        for (TopicPartition partition : records.partitions()) {
            List<? extends ConsumerRecord<?, ?>> polled = records.records(partition);
            if (polled.isEmpty()) {
                continue;
            }
            long first = polled.get(0).offset();
            long last = polled.get(polled.size() - 1).offset();
            partitions.compute(
                    partition, (key, known) -> (known == null ? Partition.NOTHING : known).polled(consumer, first, last));
        }
    }

    /** These offsets are committed. */
    public void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        offsets.forEach((partition, offset) -> {
            if (offset != null) {
                partitions.compute(
                        partition,
                        (key, known) -> (known == null ? Partition.NOTHING : known).committed(offset.offset()));
            }
        });
    }

    /** A consumer has lost these partitions. */
    public void left(Collection<TopicPartition> lost) {
        lost.forEach(partition -> partitions.computeIfPresent(partition, (key, known) -> known.left()));
    }

    /** What is known of a record's partition when its delivery is created. */
    Partition of(ConsumerRecord<?, ?> record) {
        return partitions.getOrDefault(new TopicPartition(record.topic(), record.partition()), Partition.NOTHING);
    }

    /**
     * Why the record at this offset, which was handled before, is delivered again.
     *
     * @param isFirstInSession whether this is its first delivery in the session, so that another session has handled it
     * @param committedThen up to where the group had committed when it was handled first; -1 if that is unknown
     */
    DuplicateCause causeOf(TopicPartition partition, long offset, boolean isFirstInSession, long committedThen) {
        Partition known = isFirstInSession
                ? partitions.computeIfPresent(partition, (key, before) -> before.proved(committedThen))
                : partitions.get(partition);
        boolean replayed = known != null
                && (isFirstInSession ? known.start() < known.provedBefore() : offset < known.committed());
        return replayed ? DuplicateCause.REPLAYED : DuplicateCause.REDELIVERED;
    }
}
