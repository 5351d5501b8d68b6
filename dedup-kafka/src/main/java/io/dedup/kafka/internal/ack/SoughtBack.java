package io.dedup.kafka.internal.ack;

import io.dedup.kafka.internal.Partitions;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Where user code has sought back to while a listener's call has records. A record at or above such an offset is delivered
 * again, so its handler's return isn't a success: recorded as one, the record would be a duplicate when it is redelivered, and
 * its effect would be lost.
 *
 * <p>Thread-safe: user code may seek from any thread.
 */
public final class SoughtBack {
    private final PendingDeliveries pending;
    private final Map<TopicPartition, Long> lowest = new ConcurrentHashMap<>();
    /** Where the call itself has moved positions to. Used by the consumer's thread. */
    private final Map<TopicPartition, Long> moved = new HashMap<>();

    /** Where positions were moved to after the call, before the next poll. Used by the consumer's thread. */
    private final Map<TopicPartition, Long> movedAfter = new HashMap<>();
    /** Those of these beyond which nobody may seek before the next poll. */
    private final Map<TopicPartition, Long> limits = new HashMap<>();
    /** As these, for what the last call's failure has left where it was. The next call's seeks are its own. */
    private final Map<TopicPartition, Long> dropped = new HashMap<>();

    /** Whether the container has polled nothing, and called nobody since. Used by the consumer's thread. */
    private boolean idle;

    private volatile boolean inCall;
    /** Whether the handler may have records between its calls, until it acknowledges them. */
    private volatile boolean acknowledgedLater;

    SoughtBack(PendingDeliveries pending) {
        this.pending = pending;
    }

    /** A listener's call begins. */
    public void begin() {
        if (!lowest.isEmpty()) {
            lowest.clear();
        }
        dropped.clear();
        idle = false;
        inCall = true;
    }

    /** A call without records: what it seeks back to counts for those that the handler was given earlier. */
    public void withoutRecords(Runnable call) {
        begin();
        try {
            call.run();
        } catch (RuntimeException | Error e) {
            limitToGiven();
            throw e;
        } finally {
            end();
            lowest.forEach(pending::soughtBack);
        }
    }

    /** The error handler knows of none of the records that the call has moved the positions back to. It mustn't seek past them. */
    private void limitToGiven() {
        Set<TopicPartition> given = pending.givenSoughtBack().stream()
                .map(each -> each.partition.id())
                .collect(Collectors.toSet());
        moved.forEach((partition, offset) -> {
            if (given.contains(partition)) {
                limits.put(partition, offset);
            }
        });
    }

    /**
     * As {@link #withoutRecords}, because the container is idle. If it has polled nothing, it has called nobody since but those who
     * listen to its idle event: what was sought by then was sought by them. A single partition may be idle after a poll of others.
     */
    public void idle(Runnable call) {
        if (idle) {
            movedAfter.forEach(this::sought);
        }
        withoutRecords(call);
    }

    /** The handler acknowledges its records when it likes. */
    public void acknowledgedLater() {
        acknowledgedLater = true;
    }

    /** The call has ended; what was sought in it is known until the next one, or the next poll. */
    public void end() {
        inCall = false;
    }

    /** Whether a listener's call has records. */
    public boolean isInCall() {
        return inCall;
    }

    /** Whether a seek on the consumer's thread counts now, because the handler has records or may have some. */
    public boolean isWatching() {
        return inCall || acknowledgedLater;
    }

    /** The consumer's position was moved to this offset. */
    public void moved(TopicPartition partition, long offset) {
        pending.moved(partition, offset);
        if (inCall) {
            moved.put(partition, offset);
            sought(partition, offset);
        } else {
            movedAfter.put(partition, offset);
        }
    }

    /** The container's poll has returned. What listeners have sought while they were assigned partitions limits nothing. */
    public void pollReturned(boolean empty) {
        movedAfter.clear();
        idle = empty;
    }

    /** The container polls, from where the consumer was moved to. */
    public void polled() {
        moved.clear();
        movedAfter.clear();
        limits.clear();
        dropped.clear();
        lowest.clear();
    }

    /**
     * Records that no handler has failed with are deferred or were rolled back, and the positions were moved back to them. A seek
     * that the listener has asked for mustn't pass them: the container executes it before its next poll.
     *
     * @param partitions those of these records; others were moved by somebody else, for example when they were assigned
     * @param left the offsets of other such records, to which nobody has moved the positions yet
     */
    public void limitLaterSeeks(Collection<TopicPartition> partitions, Map<TopicPartition, Long> left) {
        for (TopicPartition partition : partitions) {
            Long to = movedAfter.get(partition);
            if (to != null) {
                limits.put(partition, to);
            }
        }
        dropped.putAll(left);
    }

    /** Where a seek to this offset may go. */
    public long limited(TopicPartition partition, long offset) {
        return Math.min(
                limits.getOrDefault(partition, offset), Math.min(offset, dropped.getOrDefault(partition, offset)));
    }

    /** Whether a seek must not go to the end of this partition. */
    public boolean isLimited(TopicPartition partition) {
        return limits.containsKey(partition) || dropped.containsKey(partition);
    }

    /** Whether the call has moved the position to this offset or below it, so that nobody may seek forward to it. */
    public boolean isMovedTo(TopicPartition partition, long offset) {
        return moved.getOrDefault(partition, Long.MAX_VALUE) <= offset;
    }

    /** Whether the positions were moved to this record, or below it, since the call has ended. */
    public boolean isFetchedAgain(ConsumerRecord<?, ?> record) {
        return movedAfter.getOrDefault(Partitions.of(record), Long.MAX_VALUE) <= record.offset();
    }

    /**
     * The container will seek to this offset before its next poll. Outside of a listener's call this is a replay: it counts only
     * for records that the handler has and hasn't acknowledged.
     */
    public void sought(TopicPartition partition, long offset) {
        if (inCall) {
            lowest.merge(partition, offset, Math::min);
        } else if (acknowledgedLater) {
            pending.soughtBack(partition, offset);
        }
    }

    /**
     * As {@link #sought}, from a thread that isn't the consumer's. Which record's work has asked for it isn't known, so it
     * concerns every future that hasn't ended.
     */
    public void soughtElsewhere(TopicPartition partition, long offset) {
        pending.soughtBack(partition, offset);
        sought(partition, offset);
    }

    public boolean isEmpty() {
        return lowest.isEmpty();
    }

    /** Whether the call has sought to this record or below it. */
    public boolean includes(ConsumerRecord<?, ?> record) {
        return !isEmpty() && includes(Partitions.of(record), record.offset());
    }

    boolean includes(TopicPartition partition, long offset) {
        Long to = lowest.get(partition);
        return to != null && to <= offset;
    }
}
