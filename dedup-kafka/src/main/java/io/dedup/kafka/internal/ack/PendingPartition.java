package io.dedup.kafka.internal.ack;

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
 *
 * <p>Of a record that is finished while something below it isn't, only the offset is kept, and an ack for all such records up
 * to the next unfinished one.
 */
public final class PendingPartition {
    private final TopicPartition id;
    private final NavigableMap<Long, PendingDelivery> open = new TreeMap<>();
    /** Above the lowest open one. */
    private final OffsetRanges finished = new OffsetRanges();
    /** Acks of the container that something open holds back, by the last position that they cover here. */
    private final NavigableMap<Long, List<ContainerAck>> waiting = new TreeMap<>();

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

    /** How many records were delivered from the lowest unfinished one on, that one included. */
    long size() {
        return open.size() + finished.size();
    }

    /** Whether this is a record above the lowest unfinished one that hasn't been delivered before. */
    boolean isNew(long offset) {
        return !open.isEmpty() && offset > open.firstKey() && !open.containsKey(offset) && !finished.contains(offset);
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

    /** It is delivered again, or never: none of the acks that cover it is sent. */
    void remove(PendingDelivery delivery) {
        if (open.remove(delivery.offset, delivery)) {
            delivery.acks().forEach(ContainerAck::cancel);
        }
    }

    /** Nothing happens when another delivery has taken its place. */
    void finish(PendingDelivery delivery) {
        if (open.remove(delivery.offset, delivery)) {
            finish(delivery.offset);
        }
    }

    void finish(long offset) {
        if (!lost && unfinishedUpTo(offset)) {
            finished.add(offset);
        }
    }

    boolean unfinishedUpTo(long offset) {
        return !open.isEmpty() && open.firstKey() <= offset;
    }

    /** What the handler has up to this offset. */
    List<PendingDelivery> givenUpTo(long offset) {
        return open.headMap(offset, true).values().stream()
                .filter(PendingDelivery::isGiven)
                .toList();
    }

    /** This ack is held back by what is open up to here. */
    void waits(long offset, ContainerAck ack) {
        waiting.computeIfAbsent(offset, last -> new ArrayList<>(1)).add(ack);
    }

    /** Whether it was held back. */
    boolean stopsWaiting(long offset, ContainerAck ack) {
        List<ContainerAck> there = waiting.get(offset);
        if (there == null || !there.remove(ack)) {
            return false;
        }
        if (there.isEmpty()) {
            waiting.remove(offset);
        }
        return true;
    }

    /** Forgets what is finished at the low end, and collects the acks that nothing holds back any more. */
    void drain(List<ContainerAck> due) {
        while (!waiting.isEmpty() && !unfinishedUpTo(waiting.firstKey())) {
            for (ContainerAck ack : waiting.pollFirstEntry().getValue()) {
                ack.freeInOne();
                if (ack.isDue()) {
                    due.add(ack);
                }
            }
        }
        if (open.isEmpty()) {
            finished.clear();
        } else {
            finished.removeBelow(open.firstKey());
        }
    }

    /** Of the acks that wait around a finished position for the same to be finished, the last requested one is enough. */
    void dropSuperfluousAcks(long offset) {
        Long below = open.floorKey(offset);
        Long above = open.higherKey(offset);
        if (below == null) {
            return; // nothing holds them back
        }
        List<ContainerAck> acks = new ArrayList<>();
        waiting.subMap(below, false, above == null ? Long.MAX_VALUE : above, false)
                .values()
                .forEach(acks::addAll);
        for (int i = acks.size() - 1; i > 0; i--) {
            if (acks.get(i).isRequested()) {
                acks.get(i).supersede(acks.subList(0, i));
                return;
            }
        }
    }

    /** Whether everything is finished that is above the first and not above the second, which isn't below it. */
    boolean nothingOpenBetween(long first, long second) {
        return second >= first && open.subMap(first, false, second, true).isEmpty();
    }

    /** The partition is somebody else's now: none of its offsets is committed any more. */
    Collection<PendingDelivery> lose() {
        lost = true;
        List<ContainerAck> held = new ArrayList<>();
        waiting.values().forEach(held::addAll);
        held.forEach(ContainerAck::cancel);
        finished.clear();
        return new ArrayList<>(open.values());
    }
}
