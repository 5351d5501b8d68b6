package io.dedup.spring.boot;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** {@code dedup.kafka}: settings for Kafka listeners. Not thread-safe. */
public class KafkaSettings {
    /** Whether a record listener claims all records of a poll with one call. This is faster. With false, a crash leaves at most one record of each consumer handled but not recorded as done. */
    private boolean claimAhead = true;

    /**
     * How many records of a partition may be with handlers, counted from the first unfinished one: its future hasn't completed, or the
     * handler hasn't acknowledged it. At this limit, the consumer pauses the partition until that record is finished, or until it has
     * run for too long and is delivered again.
     */
    private int maxUnfinishedPerPartition = 10_000;

    /**
     * Only for a store with records of a snapshot of 0.1.0, whose coordinates were topic, partition and offset: records of Kafka from before
     * this time keep these IDs, in topics with id: coordinates and in dead-letter topics. Choose a time at which every instance runs the new
     * version, such as 2026-12-01T08:00:00Z, and remove it when the longest window has passed since.
     */
    private @Nullable Instant coordinatesMarkedSince;

    public boolean isClaimAhead() {
        return claimAhead;
    }

    public void setClaimAhead(boolean claimAhead) {
        this.claimAhead = claimAhead;
    }

    public int getMaxUnfinishedPerPartition() {
        return maxUnfinishedPerPartition;
    }

    public void setMaxUnfinishedPerPartition(int maxUnfinishedPerPartition) {
        this.maxUnfinishedPerPartition = maxUnfinishedPerPartition;
    }

    public @Nullable Instant getCoordinatesMarkedSince() {
        return coordinatesMarkedSince;
    }

    public void setCoordinatesMarkedSince(@Nullable Instant coordinatesMarkedSince) {
        this.coordinatesMarkedSince = coordinatesMarkedSince;
    }
}
