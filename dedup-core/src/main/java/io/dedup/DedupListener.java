package io.dedup;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.policy.OnConflict;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Is told what happens, for metrics, logs and tests. Called on the thread where it happens, so it must be quick and
 * thread-safe; what it throws is logged and changes no outcome.
 */
public interface DedupListener {
    /** A claim was acquired and the handler is about to run. */
    default void acquired(DedupKey key, int attempt) {}

    /**
     * A duplicate was recognised; the handler isn't run.
     *
     * @param firstRun what {@link RunReference} said of the run that has handled the message; null where nothing was kept
     */
    default void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {}

    /** A copy of a message in the same batch follows the first one. */
    default void copyInBatch(DedupKey key) {}

    /** A message must come again. */
    default void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {}

    /** A message has no usable ID; {@code origin} says which message, {@code problem} what is wrong. */
    default void missingId(DedupTopic topic, String origin, String problem) {}

    /** An ID came with another payload. */
    default void conflict(DedupKey key, OnConflict policy) {}

    /** A message was rejected because so many of its runs ended with their lease running out. */
    default void poison(DedupKey key, int deaths) {}

    /** A handler runs without a claim, because a policy says so. */
    default void unguarded(@Nullable DedupKey key, DedupTopic topic) {}

    /** A handler's success was recorded. */
    default void completed(DedupKey key, Duration handlerTime) {}

    /** The store couldn't be told of a success; it is tried again in the background. */
    default void completionPending(DedupKey key) {}

    /** A success will never be recorded: the store took too long, or the lease went to somebody else. */
    default void completionDropped(DedupKey key) {}

    /** A claim was given up; {@code cause} is the handler's exception, or null when it never ran. */
    default void released(DedupKey key, @Nullable Throwable cause) {}

    /** A running handler's claim may be somebody else's by now. At most once a run. */
    default void leaseLost(DedupKey key) {}

    /** A handler runs longer than {@code maxProcessingTime}: its lease isn't renewed any more. */
    default void maxProcessingTimeExceeded(DedupKey key) {}

    /**
     * A result isn't kept for duplicates: it was larger than {@code maxResultBytes} or than the store takes, or couldn't be
     * encoded. The message is done all the same.
     *
     * @param bytes its size, or -1 where it couldn't be encoded
     */
    default void resultNotKept(DedupKey key, int bytes) {}

    /**
     * The store, or a transaction with records, failed; {@code operation} is claim, complete, release or renew, and of
     * a transaction also begin, commit or rollback.
     */
    default void storeError(String operation, DedupStoreException error) {}

    /**
     * A call of the store ended, with answers or without; {@code operation} is claim, complete, release or renew. What a
     * transaction asks its own table isn't told.
     */
    default void storeCalled(String operation, int keys, Duration took) {}

    /** Shadow mode: what would have happened to a message that runs anyway. */
    default void shadow(DedupKey key, String wouldBe) {}
}
