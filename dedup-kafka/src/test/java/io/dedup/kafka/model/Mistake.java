package io.dedup.kafka.model;

/** Planted mistakes. Each is one deviation from what the code does. */
enum Mistake {
    /** What the container has dropped isn't fetched again before the next poll. */
    DROPPED_RECORDS_FORGOTTEN,
    /** Offsets are committed before the store has recorded the successes below them. */
    COMMIT_BEFORE_FLUSH,
    /** A record whose message is in flight elsewhere is acknowledged. */
    IN_FLIGHT_ACKNOWLEDGED,
    /** The store completes a record for whoever asks. */
    COMPLETION_WITHOUT_OWNER,
    /** The store releases a record for whoever asks. */
    RELEASE_WITHOUT_OWNER,
    /** Claims whose turn hasn't come aren't given back, neither before the next poll and its revocations nor after a deferral. */
    CLAIMS_KEPT,
    /** A poll is claimed as soon as it returns. */
    CLAIMED_INSIDE_POLL,
    /** A wake-up ends a commit. */
    COMMIT_WOKEN_UP,
    /** A completion that got no answer is taken for a failure of the handler. */
    RELEASE_AFTER_SUCCESS,
    /** A deferred record's partition is held, and the consumer's position stays behind the record. */
    HOLD_WITHOUT_SEEK,
    /** An acknowledgment is committed although a record below it is unfinished. */
    COMMIT_ABOVE_UNFINISHED,
    /** A handler that has failed leaves its record acknowledged. */
    FAILURE_ACKNOWLEDGED
}
