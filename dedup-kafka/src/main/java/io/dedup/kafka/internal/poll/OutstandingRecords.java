package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.spring.PollResults;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The polled records that a consumer's listener hasn't finished. While the container holds them, only its memory does:
 * the consumer's position is past them. If an exception leaves the container's loop, the container drops them, and the
 * next commit of their partition skips them. So whatever may have dropped something marks this as dropSuspected, and before
 * the next poll {@link FetchAgain} seeks back to the first record of each partition that isn't finished.
 *
 * <p>The opposite mistake is as bad. What no listener was given, for example because an interceptor removed it, is finished
 * by nobody. If it stayed outstanding, a later exception would seek back to it, perhaps below the log's start, where
 * {@code auto.offset.reset} decides. Therefore a poll without a disturbance finishes all that the container no longer has.
 *
 * <p>Used by the consumer's thread.
 */
public final class OutstandingRecords {
    private static final class Range {
        private final TopicPartition partition;
        /** The last record that the container was passed. */
        private final long passed;
        /** The last one that is outstanding, perhaps without having been passed. */
        private long last;

        private long next;

        private Range(TopicPartition partition, long first, long last) {
            this.partition = partition;
            this.next = first;
            this.passed = last;
            this.last = last;
        }

        private boolean isOf(ConsumerRecord<?, ?> record) {
            return partition.partition() == record.partition()
                    && partition.topic().equals(record.topic());
        }
    }

    private final Map<TopicPartition, Range> ranges = new HashMap<>();
    /** Partitions with dropped records that couldn't be fetched again yet. */
    private final Set<TopicPartition> waiting = new HashSet<>();

    private @Nullable Range current;
    private boolean dropSuspected;

    /**
     * Of these polled records those that don't lie behind dropped ones. A poll goes on behind these if user code resumes their
     * partition in the middle of it. The others are outstanding from now on, as if they were dropped as well: the partition's
     * position is known by then, so they are fetched again before the next poll, even if the container has kept those before them.
     */
    <K, V> ConsumerRecords<K, V> withoutThoseBehindDropped(ConsumerRecords<K, V> polled) {
        if (polled.isEmpty() || !dropIsSuspected()) {
            return polled;
        }
        Map<TopicPartition, Long> dropped = offsets();
        Map<TopicPartition, List<ConsumerRecord<K, V>>> others = new LinkedHashMap<>();
        for (TopicPartition partition : polled.partitions()) {
            List<ConsumerRecord<K, V>> list = polled.records(partition);
            Long from = dropped.get(partition);
            if (from == null || list.isEmpty() || list.get(0).offset() <= from) {
                others.put(partition, list);
            } else {
                extend(partition, list);
            }
        }
        return others.size() == polled.partitions().size() ? polled : PollResults.of(others, polled);
    }

    /** These were polled and don't reach the container: the next poll begins with them, or with what was dropped before them. */
    void notPassed(ConsumerRecords<?, ?> records) {
        for (TopicPartition partition : records.partitions()) {
            if (!records.records(partition).isEmpty()) {
                extend(partition, records.records(partition));
            }
        }
        dropSuspected = true;
    }

    private void extend(TopicPartition partition, List<? extends ConsumerRecord<?, ?>> list) {
        long first = list.get(0).offset();
        long last = list.get(list.size() - 1).offset();
        Range range = ranges.computeIfAbsent(partition, key -> new Range(key, first, last));
        range.next = Math.min(range.next, first);
        range.last = Math.max(range.last, last);
        current = null;
    }

    /** The consumer passes these records to the container. */
    void polled(ConsumerRecords<?, ?> records) {
        for (TopicPartition partition : records.partitions()) {
            List<? extends ConsumerRecord<?, ?>> list = records.records(partition);
            if (list.isEmpty()) {
                continue; // a ConsumerInterceptor has removed them all
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

    /** This record's turn has come, so the container has finished those before it in its partition. */
    public void begun(ConsumerRecord<?, ?> record) {
        Range range = rangeOf(record);
        if (range != null) {
            range.next = Math.max(range.next, record.offset());
        }
    }

    /** The listener has finished this record: it is handled, or its redelivery is ensured elsewhere. */
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

    /** The listener has finished these records, which are in the order of a poll. */
    public void finished(List<? extends ConsumerRecord<?, ?>> records) {
        for (ConsumerRecord<?, ?> record : records) {
            finished(record);
        }
    }

    /** Everything below this offset is finished: the container commits it. */
    void finishedBelow(TopicPartition partition, long offset) {
        Range range = ranges.get(partition);
        if (range != null) {
            range.next = Math.max(range.next, offset);
            if (range.next > range.last) {
                forget(List.of(partition));
            }
        }
    }

    /**
     * The container polls again. Unless something was thrown meanwhile, it has finished what it had, also what no listener
     * was given: a record that an interceptor has removed, or that was recovered without a commit.
     *
     * @param kept what the container still has; null if that isn't known
     */
    void goneOn(@Nullable ConsumerRecords<?, ?> kept) {
        if (dropSuspected || kept == null || ranges.isEmpty()) {
            return;
        }
        for (TopicPartition partition : List.copyOf(ranges.keySet())) {
            List<? extends ConsumerRecord<?, ?>> records = kept.records(partition);
            if (!records.isEmpty()) {
                finishedBelow(partition, records.get(0).offset());
            } else if (!waiting.contains(partition)) {
                forget(List.of(partition));
            }
        }
    }

    /**
     * The container still has these, and hands them out itself, whatever was thrown meanwhile: they aren't dropped. What it had before
     * them is finished.
     *
     * @param kept null if that isn't known
     * @return the offsets behind them
     */
    Map<TopicPartition, Long> keeps(@Nullable ConsumerRecords<?, ?> kept) {
        Map<TopicPartition, Long> ends = new HashMap<>();
        if (kept == null) {
            return ends;
        }
        for (TopicPartition partition : kept.partitions()) {
            List<? extends ConsumerRecord<?, ?>> records = kept.records(partition);
            if (!records.isEmpty()) {
                finishedBelow(partition, records.get(0).offset());
                ends.put(partition, records.get(records.size() - 1).offset() + 1);
            }
        }
        return ends;
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

    /** Whether the container still has the record at this offset. */
    boolean holds(TopicPartition partition, long offset) {
        Range range = ranges.get(partition);
        return range != null && range.next <= offset && offset <= range.last;
    }

    /** The offset of the partition's first outstanding record, or this position if that is lower or there is none. */
    long firstOr(TopicPartition partition, long position) {
        Range range = ranges.get(partition);
        return range == null ? position : Math.min(range.next, position);
    }

    /** The offsets behind what the container was passed, of the partitions with outstanding records. */
    public Map<TopicPartition, Long> ends() {
        Map<TopicPartition, Long> ends = new HashMap<>();
        ranges.forEach((partition, range) -> ends.put(partition, range.passed + 1));
        return ends;
    }

    /**
     * The consumer's position was moved. A seek to behind all records that the container was passed doesn't count: it may have been
     * computed from a position that is past dropped records.
     */
    void sought(TopicPartition partition, long offset) {
        Range range = ranges.get(partition);
        if (range != null && offset <= range.passed) {
            forget(List.of(partition));
        }
    }

    /**
     * The listener moves the position while its call has records. Those below stay outstanding until they are finished: the call
     * may fail, and whoever has to seek back then may fail as well.
     */
    void soughtInCall(TopicPartition partition, long offset) {
        Range range = ranges.get(partition);
        if (range != null && range.next < offset) {
            range.last = Math.min(range.last, offset - 1);
        } else {
            sought(partition, offset);
        }
    }

    /** These partitions, or all if null, no longer belong to this consumer. */
    public void forget(@Nullable Collection<TopicPartition> partitions) {
        if (partitions == null) {
            ranges.clear();
            waiting.clear();
        } else {
            ranges.keySet().removeAll(partitions);
            waiting.removeAll(partitions);
        }
        current = null;
    }

    /** An exception was thrown, and the container may have dropped the outstanding records. */
    public void suspectDrop() {
        dropSuspected = true;
    }

    /** The container drops these, unless somebody has sought to them. */
    public void dropped(List<? extends ConsumerRecord<?, ?>> records) {
        dropSuspected = dropSuspected || records.stream().anyMatch(this::holds);
    }

    /** Whether the container may have dropped records that aren't fetched again yet. */
    public boolean dropIsSuspected() {
        return dropSuspected || !waiting.isEmpty();
    }

    /** The offset of the first record of each partition that is outstanding, or perhaps dropped. */
    Map<TopicPartition, Long> offsets() {
        Map<TopicPartition, Long> offsets = new LinkedHashMap<>();
        ranges.forEach((partition, range) -> {
            if (dropSuspected || waiting.isEmpty() || waiting.contains(partition)) {
                offsets.put(partition, range.next);
            }
        });
        return offsets;
    }

    /** The offset of the first record of each partition that the container has dropped, or may have. */
    public Map<TopicPartition, Long> firstDropped() {
        return dropIsSuspected() ? offsets() : Map.of();
    }

    /**
     * The dropped records are fetched again.
     *
     * @param later except in these partitions, where the next poll tries again
     * @param endsOfKept the offsets behind what the container {@link #keeps}
     */
    void restored(Set<TopicPartition> later, Map<TopicPartition, Long> endsOfKept) {
        ranges.values().removeIf(each -> {
            if (!(dropSuspected || waiting.contains(each.partition)) || later.contains(each.partition)) {
                return false;
            }
            Long end = endsOfKept.get(each.partition);
            each.last = end == null ? each.last : Math.min(each.last, end - 1);
            return end == null;
        });
        waiting.clear();
        waiting.addAll(later);
        current = null;
        dropSuspected = false;
    }
}
