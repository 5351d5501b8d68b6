package io.dedup.spring.boot;

/** {@code dedup.kafka}: how Kafka's listeners are deduplicated. Not thread-safe. */
public class KafkaSettings {
    /** Whether record listeners claim a poll at a time. Without it a crash leaves one record handled but not done at most. */
    private boolean claimAhead = true;

    public boolean isClaimAhead() {
        return claimAhead;
    }

    public void setClaimAhead(boolean claimAhead) {
        this.claimAhead = claimAhead;
    }
}
