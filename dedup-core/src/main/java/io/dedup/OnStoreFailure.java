package io.dedup;

/** What happens to a message whose claim can't be made because the store doesn't answer. */
public enum OnStoreFailure {
    /** Deferred to the broker until the store answers; never acked, never counted as a failure. The default. */
    RETRY,
    /** As {@link #RETRY}, and the consumer is paused until the store answers, where the client can pause. */
    PAUSE,
    /**
     * The handler runs <b>unguarded</b>: duplicates are not noticed. Counted, and DONE is written in the background once
     * the store answers.
     */
    PROCESS
}
