package io.dedup.kafka.internal.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Pauses single partitions of one consumer for a while, by the container's own means.
 *
 * <p>Why not sleep in place: a sleep on the consumer's thread holds up all of its partitions and adds up against
 * {@code max.poll.interval.ms}. The container's partition pause survives rebalances (it pauses again what is assigned
 * again) and is seen by its users. It belongs to the child container that has the partition now: if another one gets the
 * partition, that one defers and pauses for itself.
 *
 * <p>Why no timer: a resume from another thread wakes the consumer up, and a wake-up hits whatever the consumer does next,
 * also a commit between a poll and the first record's turn. The consumer's own polls look for holds that are over, and don't
 * outlast them.
 *
 * <p>The container counts no pauses: a user's {@code pausePartition} that comes while a partition is held here ends
 * with the hold. One that was there before is left alone.
 *
 * <p>Used by the consumer's thread.
 */
public final class PartitionHolds {
    private record Held(MessageListenerContainer container, TopicPartition partition) {}

    private final Map<Held, Long> ends = new HashMap<>();

    public void hold(MessageListenerContainer container, TopicPartition partition, Duration time) {
        MessageListenerContainer child = container.getContainerFor(partition.topic(), partition.partition());
        Held key = new Held(child, partition);
        if (!ends.containsKey(key) && child.isPartitionPauseRequested(partition)) {
            return; // paused by the user, who resumes it as well
        }
        ends.put(key, System.nanoTime() + time.toNanos());
        child.pausePartition(partition);
    }

    /** Resumes what has been held for long enough. */
    public void endDue() {
        if (ends.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        List<Held> due = new ArrayList<>();
        ends.forEach((key, end) -> {
            if (end - now <= 0) {
                due.add(key);
            }
        });
        due.forEach(this::end);
    }

    /** How long a poll may last. */
    public Duration untilNextEnd(Duration atMost) {
        long now = System.nanoTime();
        long nanos = atMost.toNanos();
        for (long end : ends.values()) {
            nanos = Math.min(nanos, Math.max(0, end - now));
        }
        return Duration.ofNanos(nanos);
    }

    /** The consumer polls no more. */
    public void endAll() {
        List.copyOf(ends.keySet()).forEach(this::end);
    }

    private void end(Held key) {
        ends.remove(key);
        key.container().resumePartition(key.partition());
    }
}
