package io.dedup.kafka.clients.internal.position;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Partitions that fetch nothing for a time, because their next record cannot be handled yet. The others go on. Used by
 * the consumer's thread.
 */
public final class PartitionHolds {
    /**
     * A hold.
     *
     * @param until by {@link System#nanoTime}
     * @param pausedHere false if the application had paused the partition already
     * @param untilStoreAnswers whether the store must answer as well
     */
    private record Hold(long until, boolean pausedHere, boolean untilStoreAnswers) {}

    private final Consumer<?, ?> consumer;
    private final Runnable ping;
    private final Map<TopicPartition, Hold> holds = new HashMap<>();

    /** @param ping throws if the store doesn't answer */
    public PartitionHolds(Consumer<?, ?> consumer, Runnable ping) {
        this.consumer = consumer;
        this.ping = ping;
    }

    public void hold(TopicPartition partition, Duration time, boolean untilStoreAnswers) {
        if (!consumer.assignment().contains(partition)) {
            return; // it has moved to another consumer
        }
        boolean pausedBefore = consumer.paused().contains(partition);
        Hold before = holds.get(partition);
        // If the application has resumed it meanwhile, it is paused here now.
        boolean pausedHere = !pausedBefore || (before != null && before.pausedHere());
        consumer.pause(List.of(partition));
        holds.put(partition, new Hold(System.nanoTime() + time.toNanos(), pausedHere, untilStoreAnswers));
    }

    /** How long the consumer may wait for records of other partitions. */
    public Duration untilNextEnd(Duration most) {
        long nanos = most.toNanos();
        long now = System.nanoTime();
        for (Hold hold : holds.values()) {
            nanos = Math.min(nanos, Math.max(0, hold.until() - now));
        }
        return Duration.ofNanos(nanos);
    }

    /** Ends the holds whose time is over. */
    public void endDue(Duration nextTry) {
        long now = System.nanoTime();
        Set<TopicPartition> assigned = consumer.assignment();
        Iterator<Map.Entry<TopicPartition, Hold>> all = holds.entrySet().iterator();
        boolean asked = false;
        boolean answers = true;
        while (all.hasNext()) {
            Map.Entry<TopicPartition, Hold> each = all.next();
            Hold hold = each.getValue();
            if (hold.until() - now > 0) {
                continue;
            }
            if (hold.untilStoreAnswers()) {
                answers = asked ? answers : storeAnswers();
                asked = true;
                if (!answers) {
                    each.setValue(new Hold(System.nanoTime() + nextTry.toNanos(), hold.pausedHere(), true));
                    continue;
                }
            }
            if (hold.pausedHere() && assigned.contains(each.getKey())) {
                consumer.resume(List.of(each.getKey()));
            }
            all.remove();
        }
    }

    private boolean storeAnswers() {
        try {
            ping.run();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }

    void forget(Collection<TopicPartition> partitions) {
        holds.keySet().removeAll(partitions);
    }
}
