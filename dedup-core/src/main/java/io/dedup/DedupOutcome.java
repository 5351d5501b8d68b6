package io.dedup;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What became of a message that was handed to {@link Deduplicator#execute}. A handler's exception isn't an outcome: it
 * is thrown.
 */
public sealed interface DedupOutcome<R extends @Nullable Object> {
    /** Whether the message may be acked: its effect is durable, or a policy says to do without. */
    boolean mayAck();

    /**
     * The handler ran now.
     *
     * @param completion how its completion was recorded; a lost lease means that another consumer may have run too
     */
    record Handled<R extends @Nullable Object>(R value, Completion completion) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return true;
        }
    }

    /**
     * The message is a duplicate; its handler wasn't run.
     *
     * @param completedAt when the first was done; for a copy in the same batch, and while the store doesn't know of the first, this
     *     process's time
     * @param value the first one's result, where it was kept and a codec given; else null
     * @param firstRun what {@link RunReference} said of the first one's run, where it was kept; else null. Text from a store:
     *     not to be trusted
     */
    record Duplicate<R extends @Nullable Object>(
            Instant completedAt,
            @Nullable R value,
            @Nullable String firstRun) implements DedupOutcome<R> {
        public Duplicate {
            Objects.requireNonNull(completedAt, "completedAt");
        }

        /** One whose first run isn't known. */
        public Duplicate(Instant completedAt, @Nullable R value) {
            this(completedAt, value, null);
        }

        @Override
        public boolean mayAck() {
            return true;
        }
    }

    /** A policy says to ack the message <b>without its effect</b>. */
    record Skipped<R extends @Nullable Object>(SkipReason reason) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return true;
        }
    }

    /**
     * Nothing is decided yet, the message must come again: <b>never ack it</b>.
     *
     * @param retryAfter when to try again
     * @param cause the store's error or the handler's exception, if one led here
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

    /** The message can't be handled, whatever is tried: dead-letter it; don't retry it. */
    record Rejected<R extends @Nullable Object>(DedupException cause) implements DedupOutcome<R> {
        @Override
        public boolean mayAck() {
            return false;
        }
    }

    /** Why a message is acked without its effect. */
    enum SkipReason {
        MISSING_ID,
        CONFLICT
    }

    /** Why a message must come again. */
    enum DeferReason {
        /** Another copy is being handled. */
        IN_FLIGHT,
        /** The store doesn't answer. */
        STORE_UNAVAILABLE,
        /** The handler failed after its lease was lost: whoever took over decides. */
        LEASE_LOST,
        /** The deduplicator is closed. */
        CLOSED,
        /** The transaction, and the effect with it, was rolled back for a reason that isn't the handler's. */
        ROLLED_BACK,
        /** The answer to the commit got lost. The record, when the message comes again, tells what became of it. */
        COMMIT_UNKNOWN
    }

    /** How a successful run was recorded. */
    enum Completion {
        /** DONE is durable in the store. */
        DONE,
        /**
         * The store can't be reached: DONE is written in the background. Until then a redelivery may run again in another
         * process, or after a restart; this process takes it for a duplicate.
         */
        PENDING,
        /** The claim belongs to somebody else by now: <b>the message may have run twice</b>. */
        LEASE_LOST,
        /** There was no claim, by policy. */
        UNGUARDED
    }
}
