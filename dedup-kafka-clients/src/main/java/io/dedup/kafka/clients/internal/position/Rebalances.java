package io.dedup.kafka.clients.internal.position;

import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Commits what is handled before partitions leave the consumer, and forgets all about them. Then calls the
 * application's own listener.
 */
public final class Rebalances implements ConsumerRebalanceListener {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    private final HandledOffsets offsets;
    private final Beginnings beginnings;
    private final Positions positions;
    private final PartitionHolds holds;
    private final List<BackOffs> backOffs;
    private final @Nullable ConsumerRebalanceListener next;

    public Rebalances(
            HandledOffsets offsets,
            Beginnings beginnings,
            Positions positions,
            PartitionHolds holds,
            List<BackOffs> backOffs,
            @Nullable ConsumerRebalanceListener next) {
        this.offsets = offsets;
        this.beginnings = beginnings;
        this.positions = positions;
        this.holds = holds;
        this.backOffs = backOffs;
        this.next = next;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        beginnings.assigned(partitions);
        if (next != null) {
            next.onPartitionsAssigned(partitions);
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
        try {
            offsets.commit(partitions);
        } catch (KafkaException e) { // the group's next consumer finds them done
            log.warn("Cannot commit the handled records of {} before they are revoked", partitions, e);
        } finally {
            forget(partitions);
            if (next != null) {
                next.onPartitionsRevoked(partitions);
            }
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
        forget(partitions);
        if (next != null) {
            next.onPartitionsLost(partitions);
        }
    }

    private void forget(Collection<TopicPartition> partitions) {
        offsets.forget(partitions);
        beginnings.forget(partitions);
        positions.forget(partitions);
        holds.forget(partitions);
        backOffs.forEach(each -> each.forget(partitions));
    }
}
