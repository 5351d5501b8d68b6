package io.dedup;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.policy.OnConflict;
import io.dedup.step.StepOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Receives events, for metrics, logs and tests. Methods are called on the thread where the event occurs, so they must
 * be fast and thread-safe. Exceptions from a listener are logged and change no outcome.
 */
public interface DedupListener {
    /**
     * A claim was acquired, and the handler is about to run.
     *
     * @param attempt see {@link DedupContext#attempt()}
     */
    default void acquired(DedupKey key, int attempt) {}

    /**
     * A duplicate was recognized; its handler does not run.
     *
     * @param completedAt when the first run completed
     * @param firstRun the {@link RunReference} of the run that handled the message; null if none was kept
     */
    default void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {}

    /** A message is a copy of an earlier message in the same batch and shares its outcome. */
    default void copyInBatch(DedupKey key) {}

    /**
     * Explains a duplicate, after {@link #duplicate} or {@link #copyInBatch}, and in shadow mode after {@link #shadow}. The cause
     * is {@link io.dedup.duplicate.DuplicateCause#UNKNOWN} unless the policy keeps the places of messages; see
     * {@link io.dedup.policy.DedupPolicy#explainDuplicates()}.
     */
    default void explained(DedupKey key, DuplicateDetails details) {}

    /**
     * A message was deferred: the broker must redeliver it.
     *
     * @param key null if the message has no usable ID
     * @param retryAfter the suggested delay before the redelivery
     */
    default void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {}

    /**
     * A message has no usable ID.
     *
     * @param origin names the message: topic, partition and offset, or the broker's message ID
     * @param problem why there is no ID, such as {@code it has no header "order-id"}
     */
    default void missingId(DedupTopic topic, String origin, String problem) {}

    /** An ID was seen with another payload. */
    default void conflict(DedupKey key, OnConflict policy) {}

    /**
     * The lease of an earlier run of this message had expired without a result, because its process crashed, stalled, or could not
     * reach the store. The message is about to run again, or to be rejected.
     */
    default void tookOver(DedupKey key) {}

    /** A message was rejected because the leases of {@code deaths} earlier runs expired. */
    default void poison(DedupKey key, int deaths) {}

    /**
     * A handler runs without a claim because of a policy.
     *
     * @param key null if the message has no usable ID
     */
    default void unguarded(@Nullable DedupKey key, DedupTopic topic) {}

    /** The success of a handler was recorded. */
    default void completed(DedupKey key, Duration handlerTime) {}

    /** A success could not be recorded in the store yet; the background retries it. */
    default void completionPending(DedupKey key) {}

    /** A success will never be recorded: the store was down for too long, or another consumer took over the claim. */
    default void completionDropped(DedupKey key) {}

    /**
     * A claim was released.
     *
     * @param cause the exception of the handler; null if the handler did not run
     */
    default void released(DedupKey key, @Nullable Throwable cause) {}

    /**
     * The lease of a running handler was lost, so another consumer may handle the message too. At most once per run.
     */
    default void leaseLost(DedupKey key) {}

    /** A handler has run longer than {@code maxProcessingTime}; its lease is no longer renewed. */
    default void maxProcessingTimeExceeded(DedupKey key) {}

    /**
     * A result was not kept for duplicates: it exceeds {@code maxResultBytes} or the limit of the store, or it could
     * not be encoded. The message is done nevertheless.
     *
     * @param bytes the size of the result; -1 if it could not be encoded
     */
    default void resultNotKept(DedupKey key, int bytes) {}

    /**
     * A step of a handler ended; see {@link DedupContext#step}. Steps of unguarded runs are not reported.
     *
     * @param name of the step
     */
    default void step(DedupKey key, String name, StepOutcome outcome) {}

    /**
     * A call of the store, or of a transaction with records, failed.
     *
     * @param operation claim, complete, release, renew or step; for a transaction also begin, commit or rollback
     */
    default void storeError(String operation, DedupStoreException error) {}

    /**
     * A call of the store ended, successfully or not. Statements within a handler's transaction are not reported.
     *
     * @param operation claim, complete, release, renew or step
     * @param keys the number of records in the call
     */
    default void storeCalled(String operation, int keys, Duration took) {}

    /**
     * The records of a message ID were erased, in all scopes, by {@link Deduplicator#erase} of this process. A listener that keeps
     * IDs must forget this one.
     *
     * @param storedId the ID as {@link DedupKey#messageId()} has it; where IDs are hashed, this is called for the hash and for the
     *     plain ID
     */
    default void erased(String storedId) {}

    /**
     * Shadow mode: reports what would have happened to a message that is handled anyway.
     *
     * @param wouldBe duplicate, in flight, conflict, store unavailable or copy in batch
     */
    default void shadow(DedupKey key, String wouldBe) {}
}
