package io.dedup.kafka.internal.ack;

import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.Partitions;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Enters the records of one consumer into its {@link PendingDeliveries} as they are delivered. Used by the consumer's thread. */
public final class Arrivals {
    private final PendingDeliveries pending;
    private final RunningRecords running;

    Arrivals(PendingDeliveries pending, RunningRecords running) {
        this.pending = pending;
        this.running = running;
    }

    /** The handler is about to get this record. */
    PendingDelivery given(
            ConsumerRecord<?, ?> record, Delivery delivery, Execution execution, @Nullable ContainerAck ack) {
        PendingDelivery given = PendingDelivery.given(partition(record), record, delivery, execution);
        abandon(pending.locked(() -> {
            PendingDelivery before = given.partition.put(given);
            Execution superseded = null;
            if (before != null) { // given before, and its lease was lost since
                given.inherit(before);
                superseded = supersede(before);
            }
            running.add(given);
            given.attach(ack);
            return superseded;
        }));
        return given;
    }

    /** This record is a copy of one that the handler has; finished when that one is. */
    public void following(PendingDelivery first, ConsumerRecord<?, ?> record, @Nullable ContainerAck ack) {
        PendingDelivery copy = PendingDelivery.copy(partition(record), record);
        pending.locked(() -> {
            PendingDelivery there = copy.partition.putIfAbsent(copy);
            if (ack != null && ack.record() != null && there != copy && there.hasOwnAck()) {
                ack.cancel(); // or one would be kept of each delivery
            } else {
                there.attach(ack);
            }
            if (there.isFollowing() && first.isOpen()) {
                there.follow(first); // perhaps of another one than before, whose run has taken too long
            } else if (there == copy) {
                pending.finish(copy);
            }
            return there;
        });
    }

    /** This record needs no handling. */
    public void finished(ConsumerRecord<?, ?> record, @Nullable ContainerAck ack) {
        PendingPartition partition = partition(record);
        abandon(pending.locked(() -> {
            PendingDelivery there = partition.at(record.offset());
            if (there == null) {
                partition.finish(record.offset());
                if (ack != null) {
                    ack.covers(partition, record.offset());
                }
                return null;
            }
            there.attach(ack);
            if (!there.isOver() && !there.isFollowing() && !there.isOverdue()) {
                return null;
            }
            Execution superseded = supersede(there); // somebody else has handled the message meanwhile
            pending.finish(there);
            return superseded;
        }));
    }

    /**
     * This record isn't given to the handler: the container's error handler decides about it. If it was delivered before, its
     * run has taken too long, and is forgotten.
     *
     * @return copies that waited for that run, and must be fetched again
     */
    public Map<TopicPartition, Long> rejected(ConsumerRecord<?, ?> record) {
        Map<TopicPartition, Long> again = new HashMap<>();
        abandon(pending.locked(() -> {
            PendingPartition partition = pending.find(Partitions.of(record));
            PendingDelivery there = partition == null ? null : partition.at(record.offset());
            if (there == null || !there.isOverdue()) {
                return null;
            }
            pending.remove(there);
            pending.removeFollowers(there, again);
            return supersede(there);
        }));
        return again;
    }

    /** Another delivery of the same record takes its place. The run whose claim is to be abandoned, if it has one. */
    private @Nullable Execution supersede(PendingDelivery before) {
        running.remove(before);
        return before.supersede();
    }

    private static void abandon(@Nullable Execution superseded) {
        if (superseded != null) {
            superseded.abandon();
        }
    }

    private PendingPartition partition(ConsumerRecord<?, ?> record) {
        return pending.locked(() -> pending.partition(record));
    }
}
