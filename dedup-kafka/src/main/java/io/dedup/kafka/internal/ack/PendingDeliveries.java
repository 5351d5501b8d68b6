package io.dedup.kafka.internal.ack;

import io.dedup.adapter.Delivery;
import io.dedup.kafka.internal.Partitions;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What one consumer was given in a manual ack mode and hasn't finished.
 *
 * <p>An ack commits everything below it in its partition. So the container's own ack of a record is held back while
 * something below it is unfinished that the handler doesn't know of: a copy that waits for its first to be acknowledged,
 * or a record that was acknowledged by another thread whose completion is still on its way to the store. And our own
 * ack of a duplicate is held back while the handler hasn't acknowledged what is below it.
 *
 * <p>Thread-safe: acknowledgments may come from any thread. Nothing is called under the lock.
 */
public final class PendingDeliveries {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<TopicPartition, PendingPartition> partitions = new HashMap<>();
    private final RunningRecords running = new RunningRecords();
    private final Arrivals arrivals = new Arrivals(this, running);

    /** What this delivery is a copy of, because the handler has the same message; else null. */
    @Nullable
    public PendingDelivery firstOf(Delivery delivery) {
        return locked(() -> running.firstOf(delivery));
    }

    /** Where records enter as they are delivered. */
    public Arrivals arrivals() {
        return arrivals;
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

    /** Asks for the container's ack, if there is one, now or as soon as everything below is finished. */
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
     * Begins to close what the handler has up to these positions of their partitions; the caller completes the
     * executions, then calls {@link #closed}.
     *
     * @param ack the container's ack that is asked for with this, if any
     */
    List<PendingDelivery> close(Collection<PendingDelivery> upTo, @Nullable ContainerAck ack) {
        List<PendingDelivery> closing = new ArrayList<>();
        lock.lock();
        try {
            if (ack != null) {
                ack.request(); // before anything is sent: acks go out in the order of their offsets
            }
            for (PendingDelivery last : upTo) {
                closing.addAll(last.partition.givenUpTo(last.offset));
            }
            closing.forEach(PendingDelivery::close); // last: only what is returned is closed by anyone
        } finally {
            lock.unlock();
        }
        return closing;
    }

    /**
     * Begins to close these and no others.
     *
     * @param ack the container's ack that is asked for with this, if any; not asked for when there is nothing to close
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
            touched.forEach(partition -> partition.drain(due));
            closing.forEach(delivery -> delivery.partition.dropSuperfluousAcks(delivery.offset));
            collect(ack, due); // for one that was finished before
        } finally {
            lock.unlock();
        }
        ContainerAck.send(due);
    }

    /** A finished record that an error handler has dealt with. */
    void recovered(PendingDelivery delivery) {
        locked(() -> {
            finish(delivery);
            return delivery;
        });
    }

    /** The handler failed, or gave them back: forgets those that it hasn't acknowledged before, and returns them. */
    List<PendingDelivery> abort(Collection<PendingDelivery> deliveries) {
        List<PendingDelivery> aborted = new ArrayList<>(deliveries.size());
        List<ContainerAck> due = new ArrayList<>(0);
        lock.lock();
        try {
            for (PendingDelivery delivery : deliveries) {
                if (delivery.isGiven()) {
                    remove(delivery);
                    aborted.add(delivery);
                    delivery.followers().forEach(this::remove);
                }
            }
            aborted.forEach(delivery -> delivery.partition.drain(due));
        } finally {
            lock.unlock();
        }
        ContainerAck.send(due);
        return aborted;
    }

    /** Whether anything up to this record, in its partition, is unfinished: then its offset mustn't be committed. */
    public boolean unfinishedUpTo(ConsumerRecord<?, ?> record) {
        return locked(() -> {
            PendingPartition partition = find(Partitions.of(record));
            return partition != null && partition.unfinishedUpTo(record.offset());
        });
    }

    /**
     * These partitions, or all with null, are somebody else's now. What the handler has of them stays claimed: it may
     * still work on it, and its acknowledgment, however late, marks it as done.
     *
     * @return copies in other partitions that waited for one of them, and must be fetched again
     */
    public Map<TopicPartition, Long> lost(@Nullable Collection<TopicPartition> ids) {
        Map<TopicPartition, Long> again = new HashMap<>();
        lock.lock();
        try {
            List<PendingDelivery> lost = new ArrayList<>();
            for (TopicPartition id : ids == null ? List.copyOf(partitions.keySet()) : ids) {
                PendingPartition partition = partitions.remove(id);
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

    /** Its copies wait for it no longer, and must be fetched again from these offsets. Under the lock. */
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
        return partitions.get(id);
    }

    PendingPartition partition(ConsumerRecord<?, ?> record) {
        return partitions.computeIfAbsent(Partitions.of(record), PendingPartition::new);
    }

    /** Whether the handler has any record that may still be finished in time. */
    public boolean isAnyRunning() {
        return locked(running::isAny);
    }

    /** Whether the handler may be given another record, where it may have so many at once. */
    public boolean hasRoom(int limit) {
        return locked(() -> running.hasRoom(limit));
    }

    /** The handler doesn't have it any more. Under the lock. */
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
