package io.dedup.store;

import io.dedup.Fingerprint;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A record as an operator sees it. Records that have expired by the store's clock are not shown.
 *
 * @param attempt the number of the last attempt
 * @param deaths how many leases of claims that were made {@linkplain Owner#isAlone alone} expired; the current one counts only
 *     after it was taken over
 * @param fencingToken of the last claim; 0 if it asked for none, or if the record is done
 * @param owner of a PROCESSING or ABANDONED record, if the store still has it; else null
 * @param leaseRemaining of a PROCESSING record; zero otherwise
 * @param completedAt of a DONE record; else null
 * @param expiresAt of a DONE record; null means never
 * @param fingerprint of the payload; null if none was kept
 * @param result what the successful run stored for duplicates; null for nothing
 * @param steps what attempts have kept with {@link StepRecords}; null for nothing, and if the record is DONE
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StoredRecord(
        State state,
        int attempt,
        int deaths,
        long fencingToken,
        @Nullable Owner owner,
        Duration leaseRemaining,
        @Nullable Instant completedAt,
        @Nullable Instant expiresAt,
        @Nullable Fingerprint fingerprint,
        byte @Nullable [] result,
        byte @Nullable [] steps) {
    /** Creates a record without steps. */
    public StoredRecord(
            State state,
            int attempt,
            int deaths,
            long fencingToken,
            @Nullable Owner owner,
            Duration leaseRemaining,
            @Nullable Instant completedAt,
            @Nullable Instant expiresAt,
            @Nullable Fingerprint fingerprint,
            byte @Nullable [] result) {
        this(
                state,
                attempt,
                deaths,
                fencingToken,
                owner,
                leaseRemaining,
                completedAt,
                expiresAt,
                fingerprint,
                result,
                null);
    }

    /**
     * Returns when the last claim was made, by the store's clock, as derived from its fencing token; null if it has
     * none.
     */
    public @Nullable Instant claimedAt() {
        return fencingToken <= 0 ? null : Instant.EPOCH.plus(fencingToken, ChronoUnit.MICROS);
    }

    /** The state of a record. */
    public enum State {
        /** Released by its last owner; can be claimed. */
        RELEASED,
        /** Claimed, with a live lease. */
        PROCESSING,
        /** The lease of its last owner has expired; can be claimed, and the next claim counts a death if this one was made alone. */
        ABANDONED,
        /** Handled, inside its window. */
        DONE
    }
}
