package io.dedup;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of {@link Deduplicator#execute} for a message. An exception of the handler is not an outcome; it is
 * thrown.
 *
 * @param <R> the type of the handler's result
 */
public sealed interface DedupOutcome<R extends @Nullable Object> {
    /** Whether the message may be acknowledged: its effect is durable, or a policy permits to skip it. */
    boolean mayAck();

    /**
     * The handler ran and succeeded.
     *
     * @param value the handler's result
     * @param completion how the success was recorded; {@link Completion#LEASE_LOST} means that another consumer may
     *     have handled the message too
     */
    record Handled<R extends @Nullable Object>(R value, Completion completion) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return true;
        }
    }

    /**
     * The message is a duplicate; its handler did not run.
     *
     * @param completedAt when the first run completed, by the store's clock; by this process's clock for a copy in the
     *     same batch, or as long as the store has not recorded the first run
     * @param value the result of the first run; null if none was kept or the call has no codec
     * @param firstRun the {@link RunReference} of the first run; null if none was kept. Comes from the store, so treat
     *     it as untrusted text
     */
    record Duplicate<R extends @Nullable Object>(
            Instant completedAt,
            @Nullable R value,
            @Nullable String firstRun) implements DedupOutcome<R> {
        public Duplicate {
            Objects.requireNonNull(completedAt, "completedAt");
        }

        /** A duplicate without a reference to its first run. */
        public Duplicate(Instant completedAt, @Nullable R value) {
            this(completedAt, value, null);
        }

        @Override
        public boolean mayAck() {
            return true;
        }
    }

    /** A policy acknowledges the message <b>without handling it</b>. */
    record Skipped<R extends @Nullable Object>(SkipReason reason) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return true;
        }
    }

    /**
     * The message is deferred and must be redelivered: <b>never acknowledge it</b>.
     *
     * @param retryAfter the suggested delay before the redelivery
     * @param cause the store's error or the handler's exception that caused the deferral; null if there is none
     */
    record Deferred<R extends @Nullable Object>(
            DeferReason reason,
            Duration retryAfter,
            @Nullable Throwable cause) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return false;
        }
    }

    /** The message cannot be handled, and retrying cannot help: send it to the dead-letter topic. */
    record Rejected<R extends @Nullable Object>(DedupException cause) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return false;
        }
    }

    /** Why a message is acknowledged without handling it. */
    enum SkipReason {
        MISSING_ID,
        CONFLICT
    }

    /** Why a message is deferred. */
    enum DeferReason {
        /** Another copy of the message is in flight. */
        IN_FLIGHT,
        /** The store does not answer. */
        STORE_UNAVAILABLE,
        /** The handler failed after its lease was lost; the consumer that took over the claim decides the outcome. */
        LEASE_LOST,
        /** The deduplicator is closed. */
        CLOSED,
        /** The transaction and its effect were rolled back for a reason outside the handler, such as a deadlock. */
        ROLLED_BACK,
        /** The answer to the commit was lost. On redelivery, the record shows whether the transaction committed. */
        COMMIT_UNKNOWN,
        /**
         * The message has no usable ID, and neither has any other message of its topic so far: the ID extractor is
         * probably wrong. It ends with the first message that has one, or when an operator changes a setting.
         */
        MISSING_ID
    }

    /** How the success of a run was recorded. */
    enum Completion {
        /** DONE is durable in the store. */
        DONE,
        /**
         * The store does not answer; the background writes DONE later. Until then, this process treats redeliveries as
         * duplicates, but another process, or this one after a restart, may handle the message again.
         */
        PENDING,
        /** Another consumer has taken over the claim: <b>the message may have been handled twice</b>. */
        LEASE_LOST,
        /** A policy ran the handler without a claim; nothing was recorded. */
        UNGUARDED
    }
}
