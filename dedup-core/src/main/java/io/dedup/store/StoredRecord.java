package io.dedup.store;

import io.dedup.Fingerprint;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * A record as an operator sees it; what is expired by the store's clock is not shown.
 *
 * @param deaths owned leases that ran out, not counting one that nobody has taken over yet
 * @param fencingToken of the last claim; 0 when it wanted none, or when the record is done
 * @param owner of a PROCESSING or ABANDONED record, where the store still has it
 * @param leaseRemaining of a PROCESSING record; zero otherwise
 * @param completedAt of a DONE record
 * @param expiresAt of a DONE record; null means for ever
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
        byte @Nullable [] result) {
    /** When the last claim was made, by the store's clock, as its fencing token tells it; null where there is none. */
    public @Nullable Instant claimedAt() {
        return fencingToken <= 0 ? null : Instant.EPOCH.plus(fencingToken, ChronoUnit.MICROS);
    }

    /** Where a record stands. */
    public enum State {
        /** Given up by its last owner; claimable. */
        RELEASED,
        /** Owned, with a live lease. */
        PROCESSING,
        /** Its last owner's lease ran out; claimable, and the next claim counts a death. */
        ABANDONED,
        DONE
    }
}
