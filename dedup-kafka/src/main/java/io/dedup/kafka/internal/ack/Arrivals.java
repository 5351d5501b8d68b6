package io.dedup.kafka.internal.ack;

import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.Partitions;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Adds the records of one consumer to its {@link PendingDeliveries} as they are delivered. Used by the consumer's
 * thread.
 */
public final class Arrivals {
    private final PendingDeliveries pending;
    private final RunningRecords running;
    /** Read and written under the lock of {@link PendingDeliveries}. */
    private long turns;

    Arrivals(PendingDeliveries pending, RunningRecords running) {
        this.pending = pending;
        this.running = running;
    }

    /** Adds a record that the handler is about to get. */
    PendingDelivery given(ConsumerRecord<?, ?> record, Execution execution, @Nullable ContainerAck ack) {
        PendingDelivery given = PendingDelivery.given(partition(record), record, execution);
        abandon(pending.locked(() -> {
            given.takeTurn(turns++);
            PendingDelivery before = given.partition.put(given);
            Execution superseded = null;
            if (before != null) { // it was given to the handler before, and has lost its lease since
                given.inherit(before);
                superseded = supersede(before);
            }
            if (!given.partition.isLost()) {
                running.add(given);
            }
            given.attach(ack);
            return superseded;
        }));
        return given;
    }

    /** Adds a copy of a message that the handler has. It is finished when the first one is. */
    public void following(PendingDelivery first, ConsumerRecord<?, ?> record, @Nullable ContainerAck ack) {
        PendingDelivery copy = PendingDelivery.copy(partition(record), record);
        pending.locked(() -> {
            PendingDelivery there = copy.partition.putIfAbsent(copy);
            if (ack != null && ack.record() != null && there != copy && there.hasOwnAck()) {
                ack.cancel(); // otherwise one ack would be kept for each delivery
            } else {
                there.attach(ack);
            }
            if (there.isFollowing() && first.isOpen()) {
                there.follow(first); // the record that it followed before may be overdue
            } else if (there == copy) {
                pending.finish(copy);
            }
            return there;
        });
    }

    /** Adds a record that needs no handling. */
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
            Execution superseded = supersede(there); // another consumer has handled the message meanwhile
            pending.finish(there);
            return superseded;
        }));
    }

    /**
     * Removes a record that isn't given to the handler, because the container's error handler decides about it. If it
     * was delivered before, that run is overdue and is forgotten.
     *
     * @return copies that waited for that run and must be fetched again
     */
    public Map<TopicPartition, Long> rejected(ConsumerRecord<?, ?> record) {
        Map<TopicPartition, Long> again = new HashMap<>();
        abandon(pending.locked(() -> {
            PendingPartition partition = pending.find(Partitions.of(record));
            if (partition == null) {
                return null;
            }
            partition.arrived(record.offset());
            PendingDelivery there = partition.at(record.offset());
            if (there == null || !there.isOverdue()) {
                return null;
            }
            pending.remove(there);
            pending.removeFollowers(there, again);
            return supersede(there);
        }));
        return again;
    }

    /**
     * Another delivery of the same record replaces this one. Returns the run whose claim must be abandoned, if there is
     * one.
     */
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
        return pending.locked(() -> {
            PendingPartition partition = pending.partition(record);
            partition.arrived(record.offset());
            return partition;
        });
    }
}
