package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.claimahead.ClaimedPoll;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Acts around one consumer's polls: fetches dropped records again, resumes held partitions, makes and returns claims.
 * Sits between a container and its Kafka consumer ({@link HookedConsumer}).
 *
 * <p>Used by the consumer's thread.
 */
public final class WatchedPolls {
    /**
     * The longest poll while handlers have records, or while a partition with dropped records has no known position: so that
     * such records are soon fetched again.
     */
    private static final Duration WHILE_WORK_IS_OPEN = Duration.ofMillis(50);

    private final ClaimedPoll claims;
    private final PendingDeliveries pending;
    private final DeferredRecords deferred = new DeferredRecords();
    private final OutstandingRecords outstanding = new OutstandingRecords();
    private final PartitionHolds holds = new PartitionHolds();
    private final WakeUps wakeUps = new WakeUps();
    private final FetchAgain fetchAgain;
    private final ContainersConsumer consumer;
    private boolean seen;
    private int holders;

    WatchedPolls(
            ContainersConsumer consumer, ClaimedPoll claims, PendingDeliveries pending, Redeliveries redeliveries) {
        this.consumer = consumer;
        this.claims = claims;
        this.pending = pending;
        this.fetchAgain = new FetchAgain(outstanding, redeliveries, wakeUps);
    }

    /**
     * Whether this is the container's consumer, whose calls are watched; handlers may use others on the same thread.
     */
    boolean isOf(HookedConsumer asking, boolean polls) {
        return consumer.is(asking, polls);
    }

    public ClaimedPoll claims() {
        return claims;
    }

    public OutstandingRecords outstanding() {
        return outstanding;
    }

    public DeferredRecords deferred() {
        return deferred;
    }

    WakeUps wakeUps() {
        return wakeUps;
    }

    /** The container begins its next round. Returns how long the consumer may poll. */
    @Nullable
    Object beforePoll(Consumer<?, ?> target, @Nullable Object timeout) throws Throwable {
        seen = true;
        claims.beforePoll();
        fetchDropped(target);
        if (holders == 0) {
            fetchAgain.awaited(target);
        }
        // May wake the consumer up from its own thread; the poll that follows then ends at once.
        holds.endDue();
        return timeout instanceof Duration duration ? shortened(duration) : timeout;
    }

    /**
     * If the container dropped polled records after an exception, the next poll begins there.
     *
     * @throws Throwable what the consumer throws; the next poll tries again
     */
    void fetchDropped(Consumer<?, ?> target) throws Throwable {
        if (holders == 0) {
            fetchAgain.dropped(target);
        }
    }

    /**
     * Polls, but not what lies behind dropped records whose partition's position isn't known yet: the poll may find it, and go on
     * from there.
     *
     * @throws Throwable what the poll throws
     */
    @Nullable
    Object behindNothingDropped(Consumer<?, ?> target, WakeUps.Call<Object> poll) throws Throwable {
        if (!isDroppedOpen()) {
            return poll.call();
        }
        Set<TopicPartition> waiting = new HashSet<>(outstanding.offsets().keySet());
        waiting.retainAll(target.assignment());
        waiting.removeAll(target.paused());
        target.pause(waiting);
        try {
            return poll.call();
        } finally {
            waiting.retainAll(target.assignment());
            target.resume(waiting);
        }
    }

    /** Whether something was dropped that couldn't be asked for. */
    private boolean isDroppedOpen() {
        return holders == 0 && outstanding.isDisturbed();
    }

    private Duration shortened(Duration timeout) {
        Duration shorter = holds.untilNextEnd(timeout);
        if ((pending.isAnyRunning() || isDroppedOpen()) && shorter.compareTo(WHILE_WORK_IS_OPEN) > 0) {
            shorter = WHILE_WORK_IS_OPEN;
        }
        return wakeUps.take() ? Duration.ZERO : shorter;
    }

    /** Takes the polled records, and returns them in the order for the container. */
    ConsumerRecords<?, ?> polled(ConsumerRecords<?, ?> records) {
        if (records.isEmpty()) {
            return records;
        }
        outstanding.polled(records);
        ConsumerRecords<?, ?> ordered = deferred.last(records);
        claims.polled(ordered);
        return ordered;
    }

    /**
     * Pauses a partition for a while. Returns false if nothing would end the pause, because the polls aren't watched.
     *
     * @param reason the hold also ends when this is false; null if only time ends it
     */
    public boolean hold(
            MessageListenerContainer container,
            TopicPartition partition,
            Duration time,
            @Nullable BooleanSupplier reason) {
        if (seen) {
            holds.hold(container, partition, time, reason);
        }
        return seen;
    }

    /**
     * A listener or an error handler has the records and may poll meanwhile, as an error handler does to stay in its
     * group. Such a poll doesn't fetch them again: they would be redelivered after the error handler has given them up.
     */
    public <T extends @Nullable Object> T holding(Supplier<T> work) {
        holders++;
        try {
            return work.get();
        } finally {
            holders--;
        }
    }

    /** These partitions, or all if null, belong to another consumer now. */
    public void revoked(@Nullable Collection<TopicPartition> partitions) {
        deferred.forget(partitions);
        outstanding.forget(partitions);
    }

    /** The consumer has ended. */
    public void end() {
        claims.end();
        holds.endAll();
        outstanding.restored(Set.of());
    }
}
