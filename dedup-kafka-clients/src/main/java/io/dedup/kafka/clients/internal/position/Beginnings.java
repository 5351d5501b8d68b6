package io.dedup.kafka.clients.internal.position;

import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Commits where the consumer begins with a partition, before the partition's first record is handled. Otherwise, if a
 * group without offsets begins at the end ({@code auto.offset.reset=latest}, the default), a crash or a rebalance skips
 * what was polled and not handled. Used by the consumer's thread.
 */
public final class Beginnings {
    private final Consumer<?, ?> consumer;
    private final HandledOffsets offsets;
    /** Partitions whose beginnings aren't committed yet. */
    private final Set<TopicPartition> open = new HashSet<>();

    public Beginnings(Consumer<?, ?> consumer, HandledOffsets offsets) {
        this.consumer = consumer;
        this.offsets = offsets;
    }

    /** The consumer has these from now on. */
    public void assigned(Collection<TopicPartition> partitions) {
        open.addAll(partitions);
    }

    /** Commits what isn't committed yet. Returns false if that must be tried again before any record is handled. */
    public boolean commit(ConsumerRecords<?, ?> polled) {
        if (open.isEmpty()) {
            return true;
        }
        Set<TopicPartition> begun = new HashSet<>();
        for (TopicPartition partition : open) {
            Long beginning = beginningOf(partition, polled);
            if (beginning != null) {
                offsets.begin(partition, beginning);
                begun.add(partition);
            }
        }
        offsets.commit();
        if (offsets.isAnyDue(begun)) {
            return false;
        }
        open.removeAll(begun);
        return true;
    }

    /** Null if the consumer doesn't know it yet: then it has polled nothing of the partition. */
    private @Nullable Long beginningOf(TopicPartition partition, ConsumerRecords<?, ?> polled) {
        List<? extends ConsumerRecord<?, ?>> records = polled.records(partition);
        if (!records.isEmpty()) {
            return records.get(0).offset();
        }
        try {
            return consumer.position(partition, Duration.ZERO);
        } catch (TimeoutException e) {
            return null;
        }
    }

    void forget(Collection<TopicPartition> partitions) {
        open.removeAll(partitions);
    }
}
