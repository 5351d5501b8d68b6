package io.dedup.store;

import io.dedup.DedupStoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a store answers to a claim. Only {@link Acquired} allows the handler to run. */
public sealed interface ClaimResult {
    /**
     * The record is PROCESSING by this owner now.
     *
     * @param attempt 1, 2, 3 …: the claims that were not given back. 1 proves that no earlier attempt started within
     *     the store's attempt retention
     * @param deaths how many owned leases ran out before this one
     * @param tookOver whether this claim ended such a lease, and so counted its death
     * @param fencingToken grows with every claim of a key; 0 when the request wanted none
     */
    record Acquired(int attempt, int deaths, boolean tookOver, long fencingToken) implements ClaimResult {}

    /** Somebody else holds a live lease; {@code remaining} by the store's clock, never negative. */
    record InFlight(Duration remaining) implements ClaimResult {
        public InFlight {
            if (remaining.isNegative()) {
                remaining = Duration.ZERO;
            }
        }
    }

    /**
     * The message is done, inside its window.
     *
     * @param result what its handler's run left for duplicates, or null
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

    /** Nothing is known of this key: the claim may or may not have been applied. Only in answers to batches. */
    record StoreError(DedupStoreException cause) implements ClaimResult {
        public StoreError {
            Objects.requireNonNull(cause, "cause");
        }
    }
}
