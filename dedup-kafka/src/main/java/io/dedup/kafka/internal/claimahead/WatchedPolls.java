package io.dedup.kafka.internal.claimahead;

import io.dedup.kafka.internal.KafkaLog;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * What happens around one consumer's polls: records that the container dropped are fetched again, held partitions are
 * resumed, claims are made and given back. Sits between a container and its Kafka consumer ({@link HookedConsumer}).
 *
 * <p>Used by the consumer's thread.
 */
public final class WatchedPolls {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    /** How soon a consumer fetches a record again whose work has failed on another thread. */
    private static final Duration WHILE_WORK_IS_OPEN = Duration.ofMillis(50);
    /** Before the same records are fetched once more. */
    private static final Duration BETWEEN_DROPS = Duration.ofMillis(100);
    /** After so much waking up the call fails after all, and what was polled is fetched again. */
    private static final Duration LONGEST_WAKING = Duration.ofMinutes(1);

    /** A call of the Kafka consumer. */
    interface Call<T> {
        @Nullable
        T call() throws Throwable;
    }

    private final ClaimedPoll claims;
    private final OutstandingRecords outstanding = new OutstandingRecords();
    private final PartitionHolds holds = new PartitionHolds();
    private BooleanSupplier workIsOpen = () -> false;
    private Supplier<Map<TopicPartition, Long>> awaited = Map::of;
    private @Nullable HookedConsumer consumer;
    private boolean seen;
    private boolean wokenUp;
    private int holders;
    private Map<TopicPartition, Long> lastDropped = Map.of();

    WatchedPolls(ClaimedPoll claims) {
        this.claims = claims;
    }

    /** This is the container's consumer. */
    void watch(HookedConsumer containers) {
        consumer = containers;
    }

    /** While this answers true, work of other threads may fail, and its record is to be fetched again soon. */
    public void shortenWhile(BooleanSupplier isOpen) {
        workIsOpen = isOpen;
    }

    /** These have failed and are to be read again, whatever became of the container's seek to them. */
    public void fetchAgain(Supplier<Map<TopicPartition, Long>> failed) {
        awaited = failed;
    }

    /** Where it isn't known, the first consumer that polls on this thread is the container's; others are the handlers' own. */
    boolean isOf(HookedConsumer asking, boolean polls) {
        if (consumer == null && polls) {
            consumer = asking;
        }
        return consumer == asking;
    }

    public ClaimedPoll claims() {
        return claims;
    }

    public OutstandingRecords outstanding() {
        return outstanding;
    }

    /** The container begins its next round. Returns for how long the consumer may poll. */
    @Nullable
    Object beforePoll(Consumer<?, ?> target, @Nullable Object timeout) throws Throwable {
        seen = true;
        claims.beforePoll();
        fetchDropped(target);
        fetchAwaited(target);
        // May wake the consumer up, from its own thread: then the poll that follows ends at once.
        holds.endDue();
        return timeout instanceof Duration duration ? shortened(duration) : timeout;
    }

    private Duration shortened(Duration timeout) {
        Duration shorter = holds.untilNextEnd(timeout);
        if (workIsOpen.getAsBoolean() && shorter.compareTo(WHILE_WORK_IS_OPEN) > 0) {
            shorter = WHILE_WORK_IS_OPEN;
        }
        if (wokenUp) {
            wokenUp = false;
            return Duration.ZERO;
        }
        return shorter;
    }

    void polled(ConsumerRecords<?, ?> records) {
        if (!records.isEmpty()) {
            outstanding.polled(records);
            claims.polled(records);
        }
    }

    /**
     * Makes a call that a wake-up must not end. Whoever wakes the consumer up means its poll: the next one is cut short.
     *
     * @throws Throwable what the call throws
     */
    <T> @Nullable T untilNotWokenUp(Call<T> call) throws Throwable {
        long begin = System.nanoTime();
        while (true) {
            try {
                return call.call();
            } catch (WakeupException e) {
                wokenUp = true;
                if (System.nanoTime() - begin > LONGEST_WAKING.toNanos()) {
                    throw e;
                }
            }
        }
    }

    /**
     * The container dropped what it had polled when something threw: the next poll begins there.
     *
     * @throws Throwable what the consumer throws; the next poll tries again
     */
    void fetchDropped(Consumer<?, ?> target) throws Throwable {
        if (!outstanding.isDisturbed() || holders > 0) {
            return;
        }
        Map<TopicPartition, Long> dropped = outstanding.offsets();
        dropped.keySet().retainAll(target.assignment());
        Set<TopicPartition> later = new HashSet<>();
        for (Map.Entry<TopicPartition, Long> each : dropped.entrySet()) {
            Long position = positionOf(each.getKey(), target);
            if (position == null) {
                later.add(each.getKey());
            } else if (position > each.getValue()) { // else somebody begins there, or lower
                target.seek(each.getKey(), each.getValue());
                log.warn(
                        "The container dropped polled records of {} after an exception; fetching them again from offset {}",
                        each.getKey(),
                        each.getValue());
            }
        }
        if (dropped.equals(lastDropped)) {
            LockSupport.parkNanos(BETWEEN_DROPS.toNanos()); // what throws each time mustn't make the consumer spin
        }
        lastDropped = dropped;
        outstanding.restored(later);
    }

    /**
     * The container logs a seek that fails and forgets it; and what it kept in a pause may be deferred, behind the seek.
     *
     * @throws Throwable what the consumer throws; the next poll tries again
     */
    private void fetchAwaited(Consumer<?, ?> target) throws Throwable {
        Map<TopicPartition, Long> failed = holders > 0 ? Map.of() : awaited.get();
        if (failed.isEmpty()) {
            return;
        }
        Set<TopicPartition> assigned = target.assignment();
        for (Map.Entry<TopicPartition, Long> each : failed.entrySet()) {
            TopicPartition partition = each.getKey();
            if (assigned.contains(partition) && !outstanding.holds(partition, each.getValue())) {
                Long position = positionOf(partition, target);
                if (position != null && position > each.getValue()) {
                    target.seek(partition, each.getValue());
                }
            }
        }
    }

    /**
     * Null when the consumer doesn't know it, as while it looks for the partition's leader. Until it does, it polls nothing of the
     * partition, and the others must not wait. A seek without knowing it could go forwards.
     */
    private @Nullable Long positionOf(TopicPartition partition, Consumer<?, ?> target) throws Throwable {
        try {
            return untilNotWokenUp(() -> target.position(partition, Duration.ZERO));
        } catch (TimeoutException e) {
            return null;
        }
    }

    /** Keeps a partition from being fetched for a while. */
    public void hold(MessageListenerContainer container, TopicPartition partition, Duration time) {
        holds.hold(container, partition, time);
    }

    /**
     * A listener or an error handler has the records, and may poll meanwhile, as an error handler does to stay in its group.
     * They aren't fetched again by such a poll: they would come again after the error handler has given them up.
     */
    public <T extends @Nullable Object> T holding(Supplier<T> work) {
        holders++;
        try {
            return work.get();
        } finally {
            holders--;
        }
    }

    /** Whether the container's polls come through here, so that holds come to an end. */
    public boolean areSeen() {
        return seen;
    }

    /** The consumer has come to its end. */
    void end() {
        claims.end();
        holds.endAll();
        outstanding.restored(Set.of());
    }
}
