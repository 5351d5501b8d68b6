package io.dedup.spring.boot;

/** {@code dedup.kafka}: how Kafka's listeners are deduplicated. Not thread-safe. */
public class KafkaSettings {
    /** Whether record listeners claim a poll at a time. Without it a crash leaves one record handled but not done at most. */
    private boolean claimAhead = true;

    /**
     * How many records of a partition a consumer gives to handlers from the first one on that isn't finished: whose future hasn't
     * ended, or that hasn't been acknowledged. At this number the partition is held until that one is finished, or has run for
     * too long and is delivered again.
     */
    private int maxUnfinishedPerPartition = 10_000;

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
}
