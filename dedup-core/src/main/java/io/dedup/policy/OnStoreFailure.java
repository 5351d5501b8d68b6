package io.dedup.policy;

/** What happens to a message that cannot be claimed because the store does not answer. */
public enum OnStoreFailure {
    /**
     * Defers the message until the store answers. Never acknowledges it and never counts it as a failure. The default.
     */
    RETRY,
    /** Like {@link #RETRY}, and pauses the consumer until the store answers, if the broker's client can pause. */
    PAUSE,
    /**
     * Runs the handler <b>without deduplication</b>: duplicates are not recognized, except those of messages that this
     * process has handled but not recorded yet. A copy of a message that this process is handling is deferred. Counted
     * in the metrics; the background writes DONE once the store answers.
     *
     * <p>After two calls in a row have failed, each taking 20 ms or more, handlers' threads no longer call the store.
     * The background probes it once a second until it answers.
     */
    PROCESS
}
