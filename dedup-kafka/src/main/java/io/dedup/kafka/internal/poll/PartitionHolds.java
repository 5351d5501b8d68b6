package io.dedup.kafka.internal.poll;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Pauses single partitions of one consumer for a while, using the container's own partition pause.
 *
 * <p>It doesn't sleep: a sleep on the consumer's thread delays all of its partitions and counts against
 * {@code max.poll.interval.ms}. The container's partition pause survives rebalances (a partition that is assigned again
 * is paused again) and is visible to users. It belongs to the child container that has the partition: if another one is
 * assigned the partition, that one defers the record and pauses the partition itself.
 *
 * <p>It uses no timer: a resume from another thread wakes the consumer up, and the wake-up may interrupt whatever the
 * consumer does next, including a commit between a poll and the first record's turn. Instead the consumer's own polls
 * end the holds that are over, and don't take longer than the next one. A hold for a run of the same process ends with
 * that run; polls are short meanwhile, and look.
 *
 * <p>The container doesn't count pauses: if a user calls {@code pausePartition} while a partition is held here, that
 * pause ends with the hold. A pause that was there before is left alone.
 *
 * <p>Used by the consumer's thread.
 */
public final class PartitionHolds {
    /** The longest poll while a hold may end early: its reason ends on another thread, which must not wake the consumer up. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

    private record Held(MessageListenerContainer container, TopicPartition partition) {}

    /**
     * When a hold ends.
     *
     * @param at the latest time, by {@link System#nanoTime}
     * @param reason the hold also ends when this is false; null if only time ends it
     */
    private record End(long at, @Nullable BooleanSupplier reason) {
        boolean hasCome(long now) {
            return at - now <= 0 || (reason != null && !reason.getAsBoolean());
        }

        long mayComeIn(long now) {
            long left = Math.max(0, at - now);
            return reason == null ? left : Math.min(left, BETWEEN_LOOKS.toNanos());
        }
    }

    private final Map<Held, End> ends = new HashMap<>();
    /** Of a nack, until the container pauses its consumer for it. */
    private long sleepMillis;
    /** When the container resumes its consumer at the earliest; by its clock, which is the system's. */
    private long asleepUntil;

    /**
     * The listener has nacked with a sleep, for which the container pauses its consumer next. No hold ends before that sleep
     * does: if a listener nacks a record of such a partition meanwhile, spring-kafka forgets what it has paused for the first
     * sleep, and never resumes it.
     */
    void nacked(Duration sleep) {
        sleepMillis = sleep.toMillis();
    }

    /** The container pauses its consumer, or partitions of it. */
    void paused() {
        if (sleepMillis > 0) {
            asleepUntil = System.currentTimeMillis() + sleepMillis;
            sleepMillis = 0;
        }
    }

    /**
     * Pauses a partition.
     *
     * @param reason the hold also ends when this is false; null if only time ends it
     */
    public void hold(
            MessageListenerContainer container,
            TopicPartition partition,
            Duration time,
            @Nullable BooleanSupplier reason) {
        MessageListenerContainer child = container.getContainerFor(partition.topic(), partition.partition());
        Held key = new Held(child, partition);
        if (!ends.containsKey(key) && child.isPartitionPauseRequested(partition)) {
            return; // paused by the user, who will resume it
        }
        ends.put(key, new End(System.nanoTime() + time.toNanos(), reason));
        child.pausePartition(partition);
    }

    /** Resumes partitions whose hold is over. */
    public void endDue() {
        if (ends.isEmpty() || sleepsFor() > 0) {
            return;
        }
        long now = System.nanoTime();
        List<Held> due = new ArrayList<>();
        ends.forEach((key, end) -> {
            if (end.hasCome(now)) {
                due.add(key);
            }
        });
        due.forEach(this::end);
    }

    /** Returns how long a poll may take. */
    public Duration untilNextEnd(Duration atMost) {
        long asleep = sleepsFor();
        if (asleep > 0 && !ends.isEmpty()) {
            return Duration.ofMillis(Math.min(atMost.toMillis(), asleep));
        }
        long now = System.nanoTime();
        long nanos = atMost.toNanos();
        for (End end : ends.values()) {
            nanos = Math.min(nanos, end.mayComeIn(now));
        }
        return Duration.ofNanos(nanos);
    }

    /** The consumer won't poll any more. */
    public void endAll() {
        List.copyOf(ends.keySet()).forEach(this::end);
    }

    /** The container resumes when its sleep is over by a millisecond. */
    private long sleepsFor() {
        return asleepUntil == 0 ? 0 : Math.max(0, asleepUntil + 1 - System.currentTimeMillis());
    }

    private void end(Held key) {
        ends.remove(key);
        key.container().resumePartition(key.partition());
    }
}
