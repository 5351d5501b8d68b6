package io.dedup.kafka;

import io.dedup.kafka.PendingDelivery.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What is unfinished of a partition from its assignment to its loss. After the loss it is known to its acknowledgments
 * only, which close their claims and commit nothing. Read and written under the lock of {@link PendingDeliveries}.
 */
final class PendingPartition {
    private final TopicPartition id;
    private final NavigableMap<Long, PendingDelivery> open = new TreeMap<>();
    private boolean lost;

    PendingPartition(TopicPartition id) {
        this.id = id;
    }

    TopicPartition id() {
        return id;
    }

    boolean isLost() {
        return lost;
    }

    /** What was at this position before, if anything. */
    @Nullable
    PendingDelivery put(PendingDelivery delivery) {
        return open.put(delivery.offset, delivery);
    }

    /** What is at this position now: what was there before, else this one. */
    PendingDelivery putIfAbsent(PendingDelivery delivery) {
        PendingDelivery there = open.get(delivery.offset);
        if (there != null && !there.isOver()) {
            return there;
        }
        if (there != null) {
            delivery.inherit(there);
        }
        open.put(delivery.offset, delivery);
        return delivery;
    }

    @Nullable
    PendingDelivery at(long offset) {
        return open.get(offset);
    }

    @Nullable
    PendingDelivery lowest() {
        return open.isEmpty() ? null : open.firstEntry().getValue();
    }

    /** How many records the handler has. */
    int open() {
        return (int) open.values().stream().filter(PendingDelivery::isOpen).count();
    }

    void remove(PendingDelivery delivery) {
        open.remove(delivery.offset, delivery);
    }

    boolean unfinishedUpTo(long offset) {
        return !open.isEmpty() && open.firstKey() <= offset;
    }

    /** What the handler has up to this offset. */
    List<PendingDelivery> givenUpTo(long offset) {
        return open.headMap(offset, true).values().stream()
                .filter(delivery -> delivery.state == State.GIVEN)
                .toList();
    }

    /** Forgets the finished ones at the low end, and collects the acks that nothing holds back any more. */
    void drain(List<ContainerAck> due) {
        while (!open.isEmpty() && open.firstEntry().getValue().state == State.FINISHED) {
            for (ContainerAck ack : open.pollFirstEntry().getValue().acks()) {
                ack.finishedOne();
                if (ack.isDue()) {
                    due.add(ack);
                }
            }
        }
    }

    /** The partition is somebody else's now: none of its offsets is committed any more. */
    Collection<PendingDelivery> lose() {
        lost = true;
        open.values().forEach(delivery -> delivery.acks().forEach(ContainerAck::cancel));
        return new ArrayList<>(open.values());
    }
}
