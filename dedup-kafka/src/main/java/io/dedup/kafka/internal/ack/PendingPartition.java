package io.dedup.kafka.internal.ack;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The unfinished records of a partition, from its assignment to its loss. After the loss only its acknowledgments refer
 * to it: they complete their claims and commit nothing. Read and written under the lock of {@link PendingDeliveries}.
 *
 * <p>Kafka commits one offset for all records below it, so nothing may be committed above an unfinished record: after a
 * crash that record would not be delivered again. An acknowledgment that comes early waits here for the records below it.
 *
 * <p>For a record that is finished before one below it, only the offset is kept, and one acknowledgment for all such
 * records up to the next unfinished one.
 */
public final class PendingPartition {
    private final TopicPartition id;
    private final NavigableMap<Long, PendingDelivery> open = new TreeMap<>();
    /** Finished offsets above the lowest open one. */
    private final OffsetRanges finished = new OffsetRanges();
    /** Acknowledgments of the container that open records hold back, by the last position that they cover here. */
    private final NavigableMap<Long, List<ContainerAck>> waiting = new TreeMap<>();

    /** The lowest record that was released because its handler has sought back to it, until it is delivered again. */
    private long soughtBack = Long.MAX_VALUE;

    /** Up to where acknowledgments were sent or offsets committed, unless records below are delivered again. */
    private long acknowledged;
    /** Whether nobody is going to commit that: an acknowledgment that would do it cannot be sent, or a commit has failed. */
    private boolean unsent;

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

    /** The number of records delivered from the lowest unfinished one on, including it. */
    long size() {
        return open.size() + finished.size();
    }

    /** Whether this offset is above the lowest unfinished record and hasn't been delivered before. */
    boolean isNew(long offset) {
        return !open.isEmpty() && offset > open.firstKey() && !open.containsKey(offset) && !finished.contains(offset);
    }

    /** Released, and fetched again. Until then nothing above it may be committed. */
    void soughtBack(long offset) {
        soughtBack = Math.min(soughtBack, offset);
    }

    /**
     * One of which the container still has records that were polled before it was lost.
     *
     * @param unfinished the lowest record that was unfinished by then: nothing above it is committed
     */
    static PendingPartition left(TopicPartition id, long unfinished) {
        PendingPartition left = new PendingPartition(id);
        left.lost = true;
        left.soughtBack = unfinished;
        return left;
    }

    /** A record is delivered: those below it that could be fetched again have been. */
    void arrived(long offset) {
        if (lost) {
            return;
        }
        if (offset >= soughtBack) {
            soughtBack = Long.MAX_VALUE;
        }
        goesBack(offset);
    }

    /** It is read again from this offset, by intention. */
    void goesBack(long offset) {
        if (offset < acknowledged) {
            acknowledged = offset;
            unsent = false; // what comes again is acknowledged again
        }
    }

    /** Everything below this offset is acknowledged; {@code sent} says whether the container is going to commit it. */
    void acknowledged(long offset, boolean sent) {
        acknowledged = Math.max(acknowledged, offset);
        unsent |= !sent;
    }

    /** What is acknowledged and nobody else commits, if it may be committed now; taken once. Otherwise 0. */
    long takeUnsent() {
        if (!unsent || !mayCommit(acknowledged)) {
            return 0;
        }
        unsent = false;
        return acknowledged;
    }

    /**
     * An offset is committed. Returns what to commit instead: an acknowledgment may be sent long after later ones, because
     * another partition has held it back, or be committed after later ones, because another thread has sent it. If the
     * partition went back by it, retention might have deleted what would be read next.
     */
    long notMovedBack(long offset) {
        boolean movesBack = offset < acknowledged && mayCommit(acknowledged);
        acknowledged = Math.max(acknowledged, offset);
        return movesBack ? acknowledged : offset;
    }

    /** Whether nothing below this offset is unfinished, but for records that an error handler decides about. */
    boolean mayCommit(long offset) {
        return !lost
                && offset <= soughtBack
                && open.headMap(offset, false).values().stream().allMatch(PendingDelivery::isHandedOver);
    }

    /** Returns the previous delivery at this position, if there is one. */
    @Nullable
    PendingDelivery put(PendingDelivery delivery) {
        return open.put(delivery.offset, delivery);
    }

    /** Returns the delivery at this position: the existing one, or else the given one. */
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

    /** The lowest record that is unfinished, but for those that an error handler decides about; or this offset if that is lower. */
    long unfinishedOr(long offset) {
        return open.values().stream()
                .filter(each -> !each.isHandedOver())
                .mapToLong(each -> each.offset)
                .reduce(Math.min(offset, soughtBack), Math::min);
    }

    @Nullable
    PendingDelivery lowest() {
        return open.isEmpty() ? null : open.firstEntry().getValue();
    }

    /**
     * Removes a delivery that isn't finished. No acknowledgment that would commit its offset is sent, not even one of a
     * record above it: the partition is read again from this record on.
     */
    void remove(PendingDelivery delivery) {
        if (removeCopy(delivery)) {
            waiting.tailMap(delivery.offset, true).values().stream()
                    .flatMap(List::stream)
                    .toList()
                    .forEach(ack -> ack.cancelIn(this));
            forgetFinished();
        }
    }

    /**
     * Removes a delivery whose message is redelivered elsewhere: only its own acknowledgments are cancelled. Returns false if
     * another delivery has replaced it.
     */
    boolean removeCopy(PendingDelivery delivery) {
        boolean removed = open.remove(delivery.offset, delivery);
        if (removed) {
            delivery.acks().forEach(ack -> ack.cancelIn(this));
        }
        return removed;
    }

    /** No effect if another delivery has replaced it. */
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

    /**
     * The records up to this one that the handler had when it was given it; below it without those that it has sought back
     * to. What was delivered again since is another run, of which whoever acknowledges this one need not know.
     */
    List<PendingDelivery> givenUpTo(PendingDelivery last) {
        return open.headMap(last.offset, true).values().stream()
                .filter(PendingDelivery::isGiven)
                .filter(given -> given == last || (given.wasGivenBefore(last) && !given.isSoughtBack()))
                .toList();
    }

    /** The records below this offset that wait to be redelivered. */
    List<PendingDelivery> failedBelow(long offset) {
        return open.headMap(offset).values().stream()
                .filter(PendingDelivery::isAgain)
                .toList();
    }

    /** The records that the handler has from this offset on. */
    List<PendingDelivery> givenFrom(long offset) {
        return open.tailMap(offset, true).values().stream()
                .filter(PendingDelivery::isGiven)
                .toList();
    }

    /** Open records up to this offset hold the acknowledgment back. */
    void waits(long offset, ContainerAck ack) {
        waiting.computeIfAbsent(offset, last -> new ArrayList<>(1)).add(ack);
    }

    /** Returns whether the acknowledgment was held back here. */
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

    /**
     * Forgets what is finished at the low end, and collects the acknowledgments that no open record holds back any
     * more.
     */
    void drain(List<ContainerAck> due) {
        while (!waiting.isEmpty() && !unfinishedUpTo(waiting.firstKey())) {
            for (ContainerAck ack : waiting.pollFirstEntry().getValue()) {
                ack.stopWaitingInOne();
                if (ack.isDue()) {
                    due.add(ack);
                }
            }
        }
        forgetFinished();
    }

    private void forgetFinished() {
        if (open.isEmpty()) {
            finished.clear();
        } else {
            finished.removeBelow(open.firstKey());
        }
    }

    /**
     * Of the acknowledgments around a finished position that wait for the same open records, keeps only the last
     * requested one.
     */
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

    /**
     * Whether no record above the first and up to the second offset is open. The second must not be below the first.
     */
    boolean nothingOpenBetween(long first, long second) {
        return second >= first && open.subMap(first, false, second, true).isEmpty();
    }

    /** The partition belongs to another consumer now: none of its offsets is committed any more. */
    Collection<PendingDelivery> lose() {
        lost = true;
        List<ContainerAck> held = new ArrayList<>();
        waiting.values().forEach(held::addAll);
        held.forEach(ack -> ack.cancelIn(this));
        finished.clear();
        return new ArrayList<>(open.values());
    }
}
