package io.dedup.kafka.internal.ack;

import io.dedup.adapter.Delivery;
import io.dedup.kafka.internal.Partitions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records that one consumer has delivered in a manual ack mode and that aren't finished.
 *
 * <p>Acknowledging a record commits everything below it in its partition. Therefore the container's own acknowledgment
 * is held back while something below the record is unfinished that the handler doesn't know of: a copy that waits for
 * its first to be acknowledged, or a record that another thread has acknowledged and whose completion hasn't reached
 * the store yet. Likewise the acknowledgment of a skipped duplicate is held back while the handler hasn't acknowledged
 * the records below it.
 *
 * <p>Thread-safe: acknowledgments may come from any thread. No other component is called under the lock.
 */
public final class PendingDeliveries {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<TopicPartition, PendingPartition> partitions = new HashMap<>();
    /** Lost partitions of which the container still has records that were polled before. */
    private final Map<TopicPartition, PendingPartition> left = new HashMap<>();

    private final RunningRecords running = new RunningRecords();
    private final Arrivals arrivals = new Arrivals(this, running);
    private final SoughtBack soughtBack = new SoughtBack(this);
    private volatile boolean hasHadAny;

    /**
     * The delivery that the given one is a copy of, because the handler has the same message; null if there is none.
     */
    @Nullable
    public PendingDelivery firstOf(Delivery delivery) {
        return locked(() -> running.firstOf(delivery));
    }

    /** The entry point for delivered records. */
    public Arrivals arrivals() {
        return arrivals;
    }

    /** Where user code has sought back to. */
    public SoughtBack soughtBack() {
        return soughtBack;
    }

    /** What the handler has from this offset on counts as failed when its work ends. */
    void soughtBack(TopicPartition id, long offset) {
        locked(() -> {
            PendingPartition partition = find(id);
            if (partition != null) {
                partition.givenFrom(offset).forEach(PendingDelivery::seekBack);
            }
            return partition;
        });
    }

    /** The partition is read from this offset on. From there on, an offset may be committed once more. */
    public void moved(TopicPartition id, long offset) {
        if (hasHadAny) {
            locked(() -> {
                PendingPartition partition = partitions.get(id);
                if (partition != null) {
                    partition.goesBack(offset);
                }
                return id;
            });
        }
    }

    /** The records that the handler has and that the current call, or the last one, has sought to or below. */
    public List<PendingDelivery> givenSoughtBack() {
        return locked(() -> Stream.concat(partitions.values().stream(), left.values().stream())
                .flatMap(partition -> partition.givenFrom(0).stream())
                .filter(given -> soughtBack.includes(given.partition.id(), given.offset))
                .toList());
    }

    /** Of these records, which are delivered now, those that the handler was given before and that were sought back to since. */
    public List<PendingDelivery> givenBefore(List<? extends ConsumerRecord<?, ?>> records) {
        return locked(() -> {
            List<PendingDelivery> before = new ArrayList<>(0);
            for (ConsumerRecord<?, ?> record : records) {
                PendingPartition partition = find(Partitions.of(record));
                PendingDelivery there = partition == null ? null : partition.at(record.offset());
                if (there != null && there.isGiven() && there.isSoughtBack()) {
                    before.add(there);
                }
            }
            return before;
        });
    }

    /** Whether the handler has this record, and hasn't acknowledged it. */
    public boolean isGiven(PendingDelivery delivery) {
        return locked(delivery::isGiven);
    }

    /** Whether user code has sought to or below this record while its work was going on. */
    public boolean isSoughtBack(PendingDelivery delivery) {
        return locked(delivery::isSoughtBack);
    }

    /** Its call has sought to or below this record, and its work ends later. */
    public void seekBack(PendingDelivery delivery) {
        locked(() -> {
            delivery.seekBack();
            return delivery;
        });
    }

    /** Under the lock. */
    void finish(PendingDelivery delivery) {
        delivery.finish();
        running.remove(delivery);
        delivery.partition.finish(delivery);
        for (PendingDelivery follower : delivery.followers()) {
            follower.finish();
            follower.partition.finish(follower);
        }
    }

    /**
     * Requests the container's acknowledgment, if there is one. It is sent now, or as soon as everything below is
     * finished.
     */
    public void request(@Nullable ContainerAck ack) {
        List<ContainerAck> due = new ArrayList<>(1);
        lock.lock();
        try {
            if (ack != null) {
                ack.request();
            }
            partitions.values().forEach(partition -> partition.drain(due));
            collect(ack, due);
        } finally {
            lock.unlock();
        }
        ContainerAck.send(due);
    }

    /**
     * Starts closing everything that the handler was given up to these records, in their partitions, except for what has left
     * a step out: done, that one could be lost. The caller then completes the executions and calls {@link #closed}.
     *
     * @param stopped receives those that have left a step out; they hold the acknowledgment back
     * @param ack the container's acknowledgment to request with this, if any
     */
    List<PendingDelivery> close(
            Collection<PendingDelivery> own, List<PendingDelivery> stopped, @Nullable ContainerAck ack) {
        List<PendingDelivery> closing = new ArrayList<>();
        lock.lock();
        try {
            Map<PendingPartition, PendingDelivery> upTo = new HashMap<>(2);
            for (PendingDelivery each : own) {
                if (each.stopped() == null) {
                    upTo.merge(each.partition, each, (one, other) -> one.offset > other.offset ? one : other);
                } else { // and not up to its position: another run may have its record by now
                    stopped.add(each);
                }
            }
            for (PendingDelivery last : upTo.values()) {
                for (PendingDelivery given : last.partition.givenUpTo(last)) {
                    (given.stopped() == null ? closing : stopped).add(given);
                }
            }
            if (ack != null && !upTo.isEmpty()) {
                ack.request(); // before anything is sent: acks are sent in offset order
            }
            closing.forEach(PendingDelivery::close); // last: whoever gets a delivery returned must close it
        } finally {
            lock.unlock();
        }
        return closing;
    }

    /**
     * Starts closing exactly these deliveries.
     *
     * @param ack the container's acknowledgment to request with this, if any; not requested if there is nothing to
     *     close
     */
    public List<PendingDelivery> closeOnly(Collection<PendingDelivery> deliveries, @Nullable ContainerAck ack) {
        return locked(() -> {
            List<PendingDelivery> closing = new ArrayList<>(deliveries.size());
            for (PendingDelivery given : deliveries) {
                if (given.isGiven()) {
                    closing.add(given);
                    given.close();
                }
            }
            if (ack != null && !closing.isEmpty()) {
                ack.request();
            }
            return closing;
        });
    }

    void closed(List<PendingDelivery> closing, @Nullable ContainerAck ack) {
        List<ContainerAck> due = new ArrayList<>(1);
        lock.lock();
        try {
            Set<PendingPartition> touched = new LinkedHashSet<>();
            for (PendingDelivery delivery : closing) {
                List<PendingDelivery> followers = delivery.followers();
                finish(delivery);
                touched.add(delivery.partition);
                followers.forEach(follower -> touched.add(follower.partition));
            }
            if (ack != null) { // in another one it may cover only what needed no handling
                touched.addAll(ack.partitions());
            }
            touched.forEach(partition -> partition.drain(due));
            closing.forEach(delivery -> delivery.partition.dropSuperfluousAcks(delivery.offset));
            collect(ack, due); // in case its record was finished before
        } finally {
            lock.unlock();
        }
        ContainerAck.send(due);
    }

    /** Finishes a record that an error handler has recovered. */
    void recovered(PendingDelivery delivery) {
        locked(() -> {
            finish(delivery);
            return delivery;
        });
    }

    /**
     * Removes deliveries whose handler failed or called {@code nack}, and returns those that it hadn't acknowledged. Their
     * copies aren't redelivered: whoever commits past these still has to handle the message.
     */
    List<PendingDelivery> abort(Collection<PendingDelivery> deliveries) {
        return locked(() -> {
            List<PendingDelivery> aborted = new ArrayList<>(deliveries.size());
            for (PendingDelivery delivery : deliveries) {
                if (delivery.isGiven()) {
                    remove(delivery);
                    aborted.add(delivery);
                    for (PendingDelivery copy : delivery.followers()) {
                        copy.partition.removeCopy(copy);
                        running.remove(copy);
                    }
                }
            }
            return aborted;
        });
    }

    /** As {@link #abort}, and nothing above them is committed before they are delivered again: not even what an error handler has given up. */
    List<PendingDelivery> sendBack(Collection<PendingDelivery> deliveries) {
        return locked(() -> {
            List<PendingDelivery> back = abort(deliveries);
            back.forEach(each -> each.partition.soughtBack(each.offset));
            return back;
        });
    }

    /** Whether nothing below this offset is unfinished, so that it may be committed. */
    public boolean mayCommit(TopicPartition id, long offset) {
        return !hasHadAny
                || locked(() -> {
                    PendingPartition partition = find(id);
                    return partition == null || partition.mayCommit(offset);
                });
    }

    /** What to commit instead of this offset, so that a late acknowledgment moves no partition back. */
    public long notMovedBack(TopicPartition id, long offset) {
        if (!hasHadAny) {
            return offset;
        }
        return locked(() -> {
            PendingPartition partition = find(id);
            return partition == null ? offset : partition.notMovedBack(offset);
        });
    }

    /** What acknowledgments would have committed that cannot be sent, because they would also commit other partitions. */
    public Map<TopicPartition, Long> takeUnsent() {
        return locked(() -> {
            Map<TopicPartition, Long> unsent = new HashMap<>(0);
            partitions.forEach((id, partition) -> {
                long offset = partition.takeUnsent();
                if (offset > 0) {
                    unsent.put(id, offset);
                }
            });
            return unsent;
        });
    }

    /** This commit of what was {@link #takeUnsent unsent} has failed. */
    public void unsent(Collection<TopicPartition> ids) {
        locked(() -> {
            ids.stream().map(partitions::get).filter(Objects::nonNull).forEach(each -> each.acknowledged(0, false));
            return ids;
        });
    }

    /** Whether this record or one below it in its partition is unfinished, so that its offset must not be committed. */
    public boolean unfinishedUpTo(ConsumerRecord<?, ?> record) {
        return locked(() -> {
            PendingPartition partition = find(Partitions.of(record));
            return partition != null && partition.unfinishedUpTo(record.offset());
        });
    }

    /**
     * Removes partitions that belong to another consumer now; null means all of them. What the handler has of them
     * stays claimed: the handler may still be working on it, and a late acknowledgment completes it.
     *
     * @param recordsRemain whether the container goes on with records of these partitions, because it isn't its own poll in
     *     which they leave, or its rebalance listener has failed. Nothing of these is committed either: what is unfinished below them isn't known in the
     *     next life of their partition, which may have begun in the same poll
     * @return copies in other partitions that waited for one of these records and must be fetched again
     */
    public Map<TopicPartition, Long> lost(@Nullable Collection<TopicPartition> ids, boolean recordsRemain) {
        Map<TopicPartition, Long> again = new HashMap<>();
        lock.lock();
        try {
            List<PendingDelivery> lost = new ArrayList<>();
            for (TopicPartition id : ids == null ? List.copyOf(partitions.keySet()) : ids) {
                PendingPartition partition = partitions.remove(id);
                if (recordsRemain) {
                    left.computeIfAbsent(
                            id,
                            key -> PendingPartition.left(
                                    key, partition == null ? Long.MAX_VALUE : partition.unfinishedOr(Long.MAX_VALUE)));
                }
                if (partition != null) {
                    lost.addAll(partition.lose());
                }
            }
            for (PendingDelivery delivery : lost) {
                running.remove(delivery);
                delivery.followNobody();
                removeFollowers(delivery, again);
            }
        } finally {
            lock.unlock();
        }
        return again;
    }

    /**
     * The lowest record that a seek to this offset would pass; the offset if there is none. What is polled after a partition has
     * left and come back begins at its committed offset; a container that goes on with records of before, and seeks to one
     * of them, would pass what is unfinished below.
     */
    public long leftBelow(TopicPartition id, long offset) {
        return locked(() -> {
            PendingPartition partition = left.get(id);
            return partition == null ? offset : partition.unfinishedOr(offset);
        });
    }

    /** The container polls. Of partitions that have left it has only what it keeps, null if that isn't known. */
    public void polled(@Nullable ConsumerRecords<?, ?> kept) {
        soughtBack.polled();
        locked(() ->
                left.keySet().removeIf(id -> kept == null || kept.records(id).isEmpty()));
    }

    /**
     * Removes the copies that wait for a delivery; they must be fetched again from these offsets. Called under the
     * lock.
     */
    void removeFollowers(PendingDelivery first, Map<TopicPartition, Long> again) {
        for (PendingDelivery follower : first.followers()) {
            if (follower.isFollowing() && !follower.partition.isLost()) {
                remove(follower);
                again.merge(follower.partition.id(), follower.offset, Math::min);
            }
        }
    }

    /** Reads or changes states under the lock. */
    <T extends @Nullable Object> T locked(Supplier<T> change) {
        lock.lock();
        try {
            return change.get();
        } finally {
            lock.unlock();
        }
    }

    Collection<PendingPartition> all() {
        return partitions.values();
    }

    @Nullable
    PendingPartition find(TopicPartition id) {
        PendingPartition there = left.get(id);
        return there != null ? there : partitions.get(id);
    }

    PendingPartition partition(ConsumerRecord<?, ?> record) {
        hasHadAny = true;
        TopicPartition id = Partitions.of(record);
        PendingPartition there = left.get(id);
        return there != null ? there : partitions.computeIfAbsent(id, PendingPartition::new);
    }

    /** False in the automatic ack modes, in which no record is ever added. */
    boolean hasHadAny() {
        return hasHadAny;
    }

    /** Whether the handler has a record that isn't overdue. */
    public boolean isAnyRunning() {
        return hasHadAny && locked(running::isAny);
    }

    /** Whether the handler may be given another record. */
    public boolean hasRoom(int limit) {
        return locked(() -> running.hasRoom(limit));
    }

    /** The handler no longer has this record. Called under the lock. */
    void leaves(PendingDelivery delivery) {
        running.remove(delivery);
    }

    /** Under the lock. */
    void remove(PendingDelivery delivery) {
        delivery.partition.remove(delivery);
        running.remove(delivery);
    }

    private static void collect(@Nullable ContainerAck ack, List<ContainerAck> due) {
        if (ack != null) {
            if (ack.isDue()) {
                due.add(ack);
            }
            ack.settle();
        }
    }
}
