package io.dedup.store;

import io.dedup.DedupStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A store's answer to a claim. The handler may run only after {@link Acquired}. */
public sealed interface ClaimResult {
    /**
     * The claim succeeded: the record is PROCESSING for this owner.
     *
     * @param attempt 1, 2, 3 …: the number of claims that were not given back. 1 guarantees that no earlier attempt
     *     started within the store's attempt retention
     * @param deaths how many leases of claims that were made {@linkplain Owner#isAlone alone} expired before this claim
     * @param tookOver whether this claim took over a claim with an expired lease, or one that was given back after such a
     *     takeover. If the dead claim was made alone, this claim counted its death
     * @param fencingToken grows with every claim of a key; 0 if the request asked for none
     * @param steps what earlier attempts have kept with {@link StepRecords}; null for nothing
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by tests only, without steps
    record Acquired(int attempt, int deaths, boolean tookOver, long fencingToken, byte @Nullable [] steps)
            implements ClaimResult {
        // Not compact: javac would leave "@Nullable" of an array parameter out of the class file.
        public Acquired(int attempt, int deaths, boolean tookOver, long fencingToken, byte @Nullable [] steps) {
            this.attempt = attempt;
            this.deaths = deaths;
            this.tookOver = tookOver;
            this.fencingToken = fencingToken;
            this.steps = steps;
        }

        /** Creates an answer without steps. */
        public Acquired(int attempt, int deaths, boolean tookOver, long fencingToken) {
            this(attempt, deaths, tookOver, fencingToken, null);
        }
    }

    /**
     * Another owner holds a live lease.
     *
     * @param remaining the rest of that lease by the store's clock; never negative
     */
    record InFlight(Duration remaining) implements ClaimResult {
        public InFlight {
            if (remaining.isNegative()) {
                remaining = Duration.ZERO;
            }
        }
    }

    /**
     * The message is done, and its window has not ended.
     *
     * @param attempt the number of the attempt that succeeded
     * @param result what the successful run stored for duplicates; null for nothing
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record AlreadyDone(Instant completedAt, int attempt, byte @Nullable [] result) implements ClaimResult {
        // Not compact: javac would leave "@Nullable" of an array parameter out of the class file.
        public AlreadyDone(Instant completedAt, int attempt, byte @Nullable [] result) {
            this.completedAt = Objects.requireNonNull(completedAt, "completedAt");
            this.attempt = attempt;
            this.result = result;
        }
    }

    /** The ID is in flight or done with another payload. */
    record Conflict() implements ClaimResult {}

    /** The store failed for this key: the claim may or may not have been applied. */
    record StoreError(DedupStoreException cause) implements ClaimResult {
        public StoreError {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
