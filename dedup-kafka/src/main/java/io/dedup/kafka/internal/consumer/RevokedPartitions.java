package io.dedup.kafka.internal.consumer;

import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.poll.WatchedPolls;
import java.util.Collection;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * What follows when partitions leave a consumer, by a rebalance or at its end. Another consumer may read them from the
 * committed offset at once, so nothing of them may be committed from here any more.
 *
 * <p>A claim isn't released because its partition has left: a handler that runs, or has promised to acknowledge later,
 * may still be working, and a second run would start beside it. It keeps its claim until it ends. Only claims that were
 * made ahead, whose handler hasn't begun, are given back; {@code ClaimedPoll} does that before the next poll and at
 * the end, since it knows which turns haven't come.
 */
final class RevokedPartitions {
    private final WatchedPolls polls;
    private final UnansweredCommits unanswered;
    private final PendingDeliveries pending;
    private final Consumer<Map<TopicPartition, Long>> fetchAgain;

    /** Creates it for one consumer; {@code fetchAgain} seeks back to these offsets. */
    RevokedPartitions(
            WatchedPolls polls,
            UnansweredCommits unanswered,
            PendingDeliveries pending,
            Consumer<Map<TopicPartition, Long>> fetchAgain) {
        this.polls = polls;
        this.unanswered = unanswered;
        this.pending = pending;
        this.fetchAgain = fetchAgain;
    }

    /**
     * Forgets what was to be fetched again, asks the broker about commits without an answer, and cancels
     * acknowledgments.
     *
     * @param partitions null for all
     * @param recordsRemain whether the container goes on with records of these
     */
    void letGo(@Nullable Collection<TopicPartition> partitions, boolean recordsRemain) {
        polls.revoked(partitions);
        unanswered.revoked(partitions);
        // copies in partitions that stay may have waited for a record of one that leaves
        fetchAgain.accept(pending.lost(partitions, recordsRemain));
    }
}
