package io.dedup.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Pauses single partitions for a while, by the container's own means.
 *
 * <p>Why not sleep in place: a sleep on the consumer's thread holds up all of its partitions and adds up against
 * {@code max.poll.interval.ms}. The container's partition pause survives rebalances (it pauses again what is assigned
 * again), is seen by its users, and wakes the consumer's poll when it ends. It belongs to the child container that has
 * the partition now: if another one gets the partition, that one defers and pauses for itself.
 *
 * <p>The container counts no pauses: a user's {@code pausePartition} that comes while a partition is held here ends
 * with the hold. One that was there before is left alone.
 */
final class PartitionHolds implements AutoCloseable {
    private record Held(MessageListenerContainer container, TopicPartition partition) {}

    private final Timer timer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Held, Long> held = new HashMap<>();
    private long next;

    PartitionHolds(Timer timer) {
        this.timer = timer;
    }

    void hold(MessageListenerContainer container, TopicPartition partition, Duration time) {
        MessageListenerContainer child = container.getContainerFor(partition.topic(), partition.partition());
        Held key = new Held(child, partition);
        long number;
        lock.lock();
        try {
            if (!held.containsKey(key) && child.isPartitionPauseRequested(partition)) {
                return; // paused by the user, who resumes it as well
            }
            number = next++;
            held.put(key, number);
        } finally {
            lock.unlock();
        }
        child.pausePartition(partition);
        if (!timer.after(time, () -> end(key, number)) && !end(key, number)) {
            child.resumePartition(partition); // close() ended the hold before the pause
        }
    }

    /** False when it was ended before, or holds anew. */
    private boolean end(Held key, long number) {
        lock.lock();
        try {
            if (!held.remove(key, number)) {
                return false;
            }
        } finally {
            lock.unlock();
        }
        key.container().resumePartition(key.partition());
        return true;
    }

    /** Resumes everything that is held now. */
    @Override
    public void close() {
        Map<Held, Long> left;
        lock.lock();
        try {
            left = Map.copyOf(held);
        } finally {
            lock.unlock();
        }
        left.forEach(this::end);
    }
}
