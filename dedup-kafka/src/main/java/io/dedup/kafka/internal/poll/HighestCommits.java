package io.dedup.kafka.internal.poll;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer has committed of its partitions. A container that counts acknowledgments, or commits them at intervals, keeps
 * offsets to commit beside those that its error handler commits at once, and commits the older ones later. If a partition went back
 * by it, retention might have deleted what would be read next, and {@code auto.offset.reset} would decide.
 *
 * <p>Used by the consumer's thread.
 */
final class HighestCommits {
    private final Map<TopicPartition, Long> highest = new HashMap<>();

    /** An offset is committed; returns the highest one since the partition has come or was moved back. */
    long with(TopicPartition partition, long offset) {
        return highest.merge(partition, offset, Math::max);
    }

    /** The partition is read from this offset. */
    void moved(TopicPartition partition, long offset) {
        highest.computeIfPresent(partition, (key, committed) -> Math.min(committed, offset));
    }

    /** These partitions, or all if null, belong to another consumer now. */
    void forget(@Nullable Collection<TopicPartition> partitions) {
        if (partitions == null) {
            highest.clear();
        } else {
            highest.keySet().removeAll(partitions);
        }
    }
}
