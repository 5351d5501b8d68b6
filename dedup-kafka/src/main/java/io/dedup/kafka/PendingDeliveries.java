package io.dedup.kafka;

import io.dedup.DedupKey;
import io.dedup.engine.Delivery;
import io.dedup.engine.Execution;
import io.dedup.kafka.PendingDelivery.State;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
final class PendingDeliveries {
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<TopicPartition, PendingPartition> partitions = new HashMap<>();
    private final Map<DedupKey, PendingDelivery> firsts = new HashMap<>();

    static TopicPartition partitionOf(ConsumerRecord<?, ?> record) {
        return new TopicPartition(record.topic(), record.partition());
    }

    /** What this delivery is a copy of, because the handler has the same message; else null. */
    @Nullable
    PendingDelivery firstOf(Delivery delivery) {
        DedupKey key = delivery.key();
        if (key == null || delivery.topic().policy().shadow()) {
            return null;
        }
        lock.lock();
        try {
            PendingDelivery first = firsts.get(key);
            // Whose lease is lost may have been taken over: the store decides then. So it does about other payloads.
            return first == null
                            || first.execution == null
                            || first.execution.leaseLost()
                            || first.differsFrom(delivery)
                    ? null
                    : first;
        } finally {
            lock.unlock();
        }
    }

    /** The handler is about to get this record. */
    PendingDelivery given(
            ConsumerRecord<?, ?> record, Delivery delivery, Execution execution, @Nullable ContainerAck ack) {
        Execution superseded = null;
        PendingDelivery given;
        lock.lock();
        try {
            given = new PendingDelivery(partition(record), record, State.GIVEN, delivery, execution);
            PendingDelivery before = given.partition.put(given);
            if (before != null) { // given before, and its lease was lost since
                given.inherit(before);
                superseded = before.state == State.GIVEN ? before.execution : null;
                forgetFirst(before);
            }
            given.attach(ack);
            if (delivery.key() != null && execution.guarded()) {
                firsts.put(delivery.key(), given);
            }
        } finally {
            lock.unlock();
        }
        if (superseded != null) {
            superseded.abandon();
        }
        return given;
    }

    /** This record is a copy of one that the handler has; finished when that one is. */
    PendingDelivery following(PendingDelivery first, ConsumerRecord<?, ?> record, @Nullable ContainerAck ack) {
        lock.lock();
        try {
            PendingDelivery copy = new PendingDelivery(partition(record), record, State.FOLLOWING, null, null);
            PendingDelivery there = copy.partition.putIfAbsent(copy);
            there.attach(ack);
            if (there == copy && first.isOpen()) {
                first.followers.add(copy);
            } else if (there == copy) {
                copy.state = State.FINISHED;
            }
            return there;
        } finally {
            lock.unlock();
        }
    }

    /** This record needs no handling. */
    PendingDelivery finished(ConsumerRecord<?, ?> record, @Nullable ContainerAck ack) {
        return locked(() -> {
            PendingDelivery finished = new PendingDelivery(partition(record), record, State.FINISHED, null, null);
            PendingDelivery there = finished.partition.putIfAbsent(finished);
            there.attach(ack);
            return there;
        });
    }

    /** Asks for the container's ack, if there is one, now or as soon as everything below is finished. */
    void request(@Nullable ContainerAck ack) {
        List<ContainerAck> due = new ArrayList<>(1);
        lock.lock();
        try {
            if (ack != null) {
                ack.request();
                collect(ack, due);
            }
            partitions.values().forEach(partition -> partition.drain(due));
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
            closing.forEach(given -> given.state = State.CLOSING); // last: only what is returned is closed by anyone
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
    List<PendingDelivery> closeOnly(Collection<PendingDelivery> deliveries, @Nullable ContainerAck ack) {
        return locked(() -> {
            List<PendingDelivery> closing = new ArrayList<>(deliveries.size());
            for (PendingDelivery given : deliveries) {
                if (given.state == State.GIVEN) {
                    closing.add(given);
                    given.state = State.CLOSING;
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
            for (PendingDelivery delivery : closing) {
                delivery.state = State.FINISHED;
                forgetFirst(delivery);
                for (PendingDelivery follower : delivery.followers) {
                    follower.state = State.FINISHED;
                    follower.partition.drain(due);
                }
                delivery.partition.drain(due);
            }
            if (ack != null) {
                collect(ack, due); // for one that was finished before
            }
        } finally {
            lock.unlock();
        }
        ContainerAck.send(due);
    }

    /** The handler failed, or gave them back: forgets those that it hasn't acknowledged before, and returns them. */
    List<PendingDelivery> abort(Collection<PendingDelivery> deliveries) {
        List<PendingDelivery> aborted = new ArrayList<>(deliveries.size());
        List<ContainerAck> due = new ArrayList<>(0);
        lock.lock();
        try {
            for (PendingDelivery delivery : deliveries) {
                if (delivery.state == State.GIVEN) {
                    remove(delivery);
                    aborted.add(delivery);
                    delivery.followers.forEach(this::remove);
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
    boolean unfinishedUpTo(ConsumerRecord<?, ?> record) {
        return locked(() -> {
            PendingPartition partition = find(partitionOf(record));
            return partition != null && partition.unfinishedUpTo(record.offset());
        });
    }

    /**
     * These partitions, or all with null, are somebody else's now. What the handler has of them stays claimed: it may
     * still work on it, and its acknowledgment, however late, marks it as done.
     *
     * @return copies in other partitions that waited for one of them, and must be fetched again
     */
    Map<TopicPartition, Long> lost(@Nullable Collection<TopicPartition> ids) {
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
                forgetFirst(delivery);
                for (PendingDelivery follower : delivery.followers) {
                    if (follower.state == State.FOLLOWING && !follower.partition.isLost()) {
                        remove(follower);
                        again.merge(follower.partition.id(), follower.offset, Math::min);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        return again;
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
        return partitions.computeIfAbsent(partitionOf(record), PendingPartition::new);
    }

    void forgetFirst(PendingDelivery delivery) {
        DedupKey key = delivery.key();
        if (key != null) {
            firsts.remove(key, delivery);
        }
    }

    private void remove(PendingDelivery delivery) {
        delivery.partition.remove(delivery);
        forgetFirst(delivery);
    }

    private static void collect(ContainerAck ack, List<ContainerAck> due) {
        if (ack.isDue()) {
            due.add(ack);
        }
    }
}
