package io.dedup.policy;

/** What happens to a message without a usable ID. */
public enum OnMissingId {
    /**
     * Rejects the message with a {@link io.dedup.MissingMessageIdException}, so that it goes to the dead-letter topic
     * without retries. The default.
     */
    FAIL,
    /** Runs the handler <b>without deduplication</b>; counted in the metrics. */
    PROCESS,
    /** Acknowledges the message <b>without handling it</b>; counted in the metrics. */
    SKIP
}
