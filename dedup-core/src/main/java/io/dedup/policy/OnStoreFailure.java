package io.dedup.policy;

/** What happens to a message whose claim can't be made because the store doesn't answer. */
public enum OnStoreFailure {
    /** Deferred to the broker until the store answers; never acked, never counted as a failure. The default. */
    RETRY,
    /** As {@link #RETRY}, and the consumer is paused until the store answers, where the client can pause. */
    PAUSE,
    /**
     * The handler runs <b>unguarded</b>: duplicates are not noticed, except for those of messages that this process has
     * handled and not recorded yet. Counted, and DONE is written in the background once the store answers.
     *
     * <p>When two calls in a row have failed, each after 20 ms or more, handlers' threads no longer ask the store: it is
     * probed in the background, once a second, until it answers.
     */
    PROCESS
}
