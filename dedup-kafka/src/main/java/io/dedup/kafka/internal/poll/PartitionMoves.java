package io.dedup.kafka.internal.poll;

import java.util.Collection;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Learns which partitions a consumer gets and loses; called on its thread, perhaps twice. */
public interface PartitionMoves {
    /** The consumer was assigned these partitions in addition. */
    void assigned(Collection<TopicPartition> partitions);

    /** These partitions, or all if null, no longer belong to the consumer. */
    void revoked(@Nullable Collection<TopicPartition> partitions);

    /** Nor do these, but the container doesn't know of it, and goes on with the records that it has kept of them. */
    void leftUnnoticed(Collection<TopicPartition> partitions);
}
