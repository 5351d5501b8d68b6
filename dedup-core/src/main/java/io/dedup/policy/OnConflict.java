package io.dedup.policy;

/** What happens to a message whose ID was seen with another payload. */
public enum OnConflict {
    /**
     * Rejects the message with a {@link io.dedup.PayloadConflictException}, so that it goes to the dead-letter topic
     * without retries. The default.
     */
    FAIL,
    /** Acknowledges the message <b>without handling it</b>; counted in the metrics. */
    SKIP,
    /**
     * Runs the handler <b>without deduplication</b>; the record of the first payload stays unchanged. Counted in the
     * metrics.
     */
    PROCESS
}
