package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.Partitions;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records that a consumer's polls returned and that its listener hasn't finished with. While the container holds them,
 * nothing but its memory does: the consumer's position is past them. When something throws out of the container's loop, the
 * container drops them, and the next commit of their partition passes them.
 *
 * <p>Used by the consumer's thread.
 */
public final class OutstandingRecords {
    private static final class Range {
        private final TopicPartition partition;
        private final long last;
        private long next;

        private Range(TopicPartition partition, long first, long last) {
            this.partition = partition;
            this.next = first;
            this.last = last;
        }

        private boolean isOf(ConsumerRecord<?, ?> record) {
            return partition.partition() == record.partition()
                    && partition.topic().equals(record.topic());
        }
    }

    private final Map<TopicPartition, Range> ranges = new HashMap<>();
    private @Nullable Range current;
    private boolean disturbed;

    /** The consumer hands these records to the container. */
    void polled(ConsumerRecords<?, ?> records) {
        for (TopicPartition partition : records.partitions()) {
            List<? extends ConsumerRecord<?, ?>> list = records.records(partition);
            if (list.isEmpty()) {
                continue; // a ConsumerInterceptor has taken them all out
            }
            ranges.put(
                    partition,
                    new Range(
                            partition,
                            list.get(0).offset(),
                            list.get(list.size() - 1).offset()));
        }
        current = null;
    }

    /** It is this record's turn, so the container has finished with the ones before it in its partition. */
    public void begun(ConsumerRecord<?, ?> record) {
        Range range = rangeOf(record);
        if (range != null) {
            range.next = Math.max(range.next, record.offset());
        }
    }

    /** The listener has finished with this record: it is handled, or something else remembers it. */
    public void finished(ConsumerRecord<?, ?> record) {
        Range range = rangeOf(record);
        if (range != null && record.offset() >= range.next) {
            range.next = record.offset() + 1;
            if (range.next > range.last) {
                ranges.remove(range.partition);
                current = null;
            }
        }
    }

    /** The listener has finished with these, which stand in the order of a poll. */
    public void finished(List<? extends ConsumerRecord<?, ?>> records) {
        for (ConsumerRecord<?, ?> record : records) {
            finished(record);
        }
    }

    private @Nullable Range rangeOf(ConsumerRecord<?, ?> record) {
        if (current == null || !current.isOf(record)) {
            current = ranges.get(Partitions.of(record));
        }
        return current;
    }

    /** Whether the container still has this record. */
    public boolean holds(ConsumerRecord<?, ?> record) {
        return holds(Partitions.of(record), record.offset());
    }

    /** The same. */
    boolean holds(TopicPartition partition, long offset) {
        Range range = ranges.get(partition);
        return range != null && range.next <= offset && offset <= range.last;
    }

    /**
     * Somebody moved the consumer's position. A seek to what lies behind all outstanding records doesn't count: it may have been
     * computed from a position that is past dropped records.
     */
    void sought(TopicPartition partition, long offset) {
        Range range = ranges.get(partition);
        if (range != null && offset <= range.last) {
            forget(List.of(partition));
        }
    }

    /** These partitions, or all with null, are no longer this consumer's. */
    public void forget(@Nullable Collection<TopicPartition> partitions) {
        if (partitions == null) {
            ranges.clear();
        } else {
            ranges.keySet().removeAll(partitions);
        }
        current = null;
    }

    /** Something threw, and the container may have dropped what was outstanding. */
    public void disturbed() {
        disturbed = true;
    }

    /** The container drops these, unless somebody has sought to them. */
    public void dropped(List<? extends ConsumerRecord<?, ?>> records) {
        disturbed = disturbed || records.stream().anyMatch(this::holds);
    }

    public boolean isDisturbed() {
        return disturbed;
    }

    /** For each partition with outstanding records the first one's offset. */
    Map<TopicPartition, Long> offsets() {
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        ranges.forEach((partition, range) -> offsets.put(partition, range.next));
        return offsets;
    }

    /** What was dropped is fetched again, except for these partitions, which are to be asked for once more. */
    void restored(Set<TopicPartition> later) {
        ranges.keySet().retainAll(later);
        current = null;
        disturbed = !ranges.isEmpty();
    }
}
