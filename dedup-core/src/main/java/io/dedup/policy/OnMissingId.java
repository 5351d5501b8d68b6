package io.dedup.policy;

/** What happens to a message without a usable ID. */
public enum OnMissingId {
    /**
     * Rejects the message with a {@link io.dedup.MissingMessageIdException}, so that it goes to the dead-letter topic
     * without retries. The default. If no message of the topic has had a usable ID so far, only the first few are
     * rejected; further ones are deferred, see {@link DedupPolicy#missingIdLimit()}.
     */
    FAIL,
    /** Runs the handler <b>without deduplication</b>; counted in the metrics. */
    PROCESS,
    /** Acknowledges the message <b>without handling it</b>; counted in the metrics. */
    SKIP
}
