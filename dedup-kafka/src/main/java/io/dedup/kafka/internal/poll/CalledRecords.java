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
 * consumer's thread.
 */
final class CalledRecords {
    private @Nullable Call call;
    private boolean undecided;

    /** @param inTransaction whether these are done only when a transaction has committed, after the call */
    void begin(Call with, boolean inTransaction) {
        call = with;
        undecided = inTransaction;
    }

    void end() {
        call = null;
    }

    boolean isAny() {
        return call != null;
    }

    /** Whether a commit of this offset would pass a record whose transaction may still be rolled back. */
    boolean isUndecided(TopicPartition partition, long offset) {
        return call != null
                && undecided
                && offset > offsets(partition, call).getMin(); // the greatest number if there is none
    }

    /** What a commit of this position may commit: no record that the call wasn't given, and that the container still has. */
    long limited(TopicPartition partition, long position, OutstandingRecords outstanding) {
        long unfinished = outstanding.firstOr(partition, position);
        LongSummaryStatistics given = call == null ? new LongSummaryStatistics() : offsets(partition, call);
        if (undecided || unfinished < given.getMin()) {
            return Math.min(unfinished, given.getMin());
        }
        return outstanding.holds(partition, given.getMax() + 1) ? given.getMax() + 1 : position;
    }

    private static LongSummaryStatistics offsets(TopicPartition partition, Call call) {
        return call.records().stream()
                .filter(each -> partition.equals(Partitions.of(each)))
                .mapToLong(ConsumerRecord::offset)
                .summaryStatistics();
    }
}
