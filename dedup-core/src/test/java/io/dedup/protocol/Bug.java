package io.dedup.protocol;

/** Mistakes that a history has to catch: of a store, or of who consumes messages with the engine. */
enum Bug {
    NONE,
    // of a store
    OWNERLESS_COMPLETE,
    OWNERLESS_RELEASE,
    OWNERLESS_RENEW,
    /** Reads whether it may claim, and then claims. */
    CHECK_THEN_SET,
    LIVE_LEASE_IGNORED,
    DONE_IGNORED,
    TOKEN_STANDS_STILL,
    ATTEMPT_ALWAYS_ONE,
    /** Keeps a step of whoever asks. */
    OWNERLESS_STEP,
    /** A claim doesn't bring the steps that earlier attempts have kept. */
    STEPS_DROPPED_BY_CLAIM,
    /** A later message inherits the steps of one that is done. */
    STEPS_OUTLIVE_DONE,
    // of a consumer
    /** Takes a completion that isn't known to be DONE for a failure. */
    RELEASE_AFTER_SUCCESS,
    ACK_IN_FLIGHT,
    ACK_BEFORE_EFFECT,
    ACK_ON_FAILURE,
    RUN_WITHOUT_CLAIM,
    /** A copy that follows another one of its batch is acked at once. */
    FOLLOWER_ACKED_AT_ONCE;

    boolean isOfStore() {
        return this != NONE && compareTo(RELEASE_AFTER_SUCCESS) < 0;
    }
}
