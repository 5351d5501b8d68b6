package io.dedup.kafka.clients.internal.position;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Counts how often in a row the first unhandled record of a partition could not be handled. Not thread-safe. */
public final class BackOffs {
    private static final int LONGEST_SHIFT = 30;

    private record Attempts(long offset, int count) {}

    private final Map<TopicPartition, Attempts> attempts = new HashMap<>();

    /** Counts one more attempt with this record, and returns how many there were. */
    public int count(TopicPartition partition, ConsumerRecord<?, ?> record) {
        Attempts before = attempts.get(partition);
        int count = before == null || before.offset() != record.offset() ? 1 : before.count() + 1;
        attempts.put(partition, new Attempts(record.offset(), count));
        return count;
    }

    /** Returns the delay after this many attempts: it doubles with each. */
    public static Duration delay(int count, Duration first, Duration longest) {
        Duration delay = first.multipliedBy(1L << Math.min(count - 1, LONGEST_SHIFT));
        return delay.compareTo(longest) > 0 ? longest : delay;
    }

    void forget(Collection<TopicPartition> partitions) {
        attempts.keySet().removeAll(partitions);
    }
}
