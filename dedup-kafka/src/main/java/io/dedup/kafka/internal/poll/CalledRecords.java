package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.Partitions;
import io.dedup.kafka.internal.poll.WatchedPolls.Call;
import java.util.LongSummaryStatistics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The records of the listener's call that runs. An application may commit by the container's consumer in the middle of it, and
 * knows of these records only: not of others of its poll, nor that a transaction of dedup's is open around it. Used by the
 * consumer's thread, but for {@link #without}.
 */
final class CalledRecords {
    /** @param undecided whether its records are done only when a transaction has committed, after the call */
    private record Current(Call call, boolean undecided, Thread consumer) {}

    /** Read by any thread that acknowledges. */
    private volatile @Nullable Current current;

    /** @param inTransaction whether these are done only when a transaction has committed, after the call */
    void begin(Call call, boolean inTransaction) {
        current = new Current(call, inTransaction, Thread.currentThread());
    }

    void end() {
        current = null;
    }

    boolean isAny() {
        return current != null;
    }

    /**
     * Runs what makes the container commit in the middle of the call, which knows what it commits. On other threads than the
     * consumer's it commits nothing: it only asks for that.
     */
    void without(Runnable acknowledgment) {
        Current before = current;
        if (before == null || before.consumer() != Thread.currentThread()) {
            acknowledgment.run();
            return;
        }
        current = null;
        try {
            acknowledgment.run();
        } finally {
            current = before;
        }
    }

    /**
     * What a commit of this offset may commit: no record that the call wasn't given, and that the container still has. What is below
     * its first one in its partition is done, unless the container has dropped it.
     */
    long limited(TopicPartition partition, long offset, OutstandingRecords outstanding) {
        long unfinished = outstanding.firstOr(partition, offset);
        Current call = current;
        if (call == null) {
            return unfinished;
        }
        LongSummaryStatistics given = offsets(partition, call.call());
        if (call.undecided() || given.getCount() == 0 || outstanding.dropIsSuspected()) {
            return Math.min(unfinished, given.getMin()); // the greatest number if there are none
        }
        long behind = given.getMax() + 1;
        return outstanding.holds(partition, behind) ? Math.min(offset, behind) : offset;
    }

    private static LongSummaryStatistics offsets(TopicPartition partition, Call call) {
        return call.records().stream()
                .filter(each -> partition.equals(Partitions.of(each)))
                .mapToLong(ConsumerRecord::offset)
                .summaryStatistics();
    }
}
