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
    /** @param undecided whether its records are done only when a transaction has committed, after the call */
    private record Current(Call call, boolean undecided) {}

    private @Nullable Current current;

    /** @param inTransaction whether these are done only when a transaction has committed, after the call */
    void begin(Call call, boolean inTransaction) {
        current = new Current(call, inTransaction);
    }

    void end() {
        current = null;
    }

    boolean isAny() {
        return current != null;
    }

    /** Runs what makes the container commit in the middle of the call, which knows what it commits. */
    void without(Runnable acknowledgment) {
        Current before = current;
        current = null;
        try {
            acknowledgment.run();
        } finally {
            current = before;
        }
    }

    /** What a commit of this offset may commit: no record that the call wasn't given, and that the container still has. */
    long limited(TopicPartition partition, long offset, OutstandingRecords outstanding) {
        long unfinished = outstanding.firstOr(partition, offset);
        if (current == null) {
            return unfinished;
        }
        LongSummaryStatistics given = offsets(partition, current.call()); // the greatest minimum if there are none
        if (current.undecided() || unfinished < given.getMin()) {
            return Math.min(unfinished, given.getMin());
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
