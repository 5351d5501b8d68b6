package io.dedup.store.jdbc.internal.row;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.Micros;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table; times in microseconds.
 *
 * @param leaseUntil when the lease ends or ended, or the claim was released; 0 when done
 * @param completedAt meaningless unless done
 * @param result what a record that is done keeps for duplicates; the steps of another one
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Row(
        Phase phase,
        @Nullable String owner,
        int attempt,
        int deaths,
        long token,
        long leaseUntil,
        long completedAt,
        long expiresAt,
        @Nullable String fingerprint,
        byte @Nullable [] result) {

    /** A fingerprint as it is stored; null where payloads aren't compared. */
    public static @Nullable String text(@Nullable Fingerprint fingerprint) {
        return fingerprint == null ? null : fingerprint.value();
    }

    /** A fingerprint as it is stored in a binary column; null if payloads are not compared. */
    public static byte @Nullable [] bytes(@Nullable Fingerprint fingerprint) {
        return fingerprint == null ? null : KeyBytes.utf8(fingerprint.value());
    }

    public boolean isExpired(long now) {
        return now >= expiresAt;
    }

    public boolean isLive(long now) {
        return phase.isOwned() && now < leaseUntil && !isExpired(now);
    }

    /** Whether a claim that takes this row over counts a death: only if the claim that died was made alone. */
    boolean isDeathCounted() {
        return phase.isOwned() ? owner != null && new Owner(owner).isAlone() : phase == Phase.DEAD;
    }

    /** Whether this owner holds the record; its lease may have expired. */
    public boolean isHeldBy(Owner other, long now) {
        return phase.isOwned() && !isExpired(now) && other.value().equals(owner);
    }

    /** Whether both rows are equal in all columns that transitions change. */
    public boolean isSameAs(Row other) {
        return phase == other.phase
                && Objects.equals(owner, other.owner)
                && attempt == other.attempt
                && deaths == other.deaths
                && token == other.token
                && leaseUntil == other.leaseUntil
                && (phase != Phase.DONE || completedAt == other.completedAt)
                && expiresAt == other.expiresAt;
    }

    public StoredRecord toStoredRecord(long now) {
        boolean live = isLive(now);
        boolean done = phase == Phase.DONE;
        StoredRecord.State state = switch (phase) {
            case RELEASED -> StoredRecord.State.RELEASED;
            case DEAD, DEAD_UNCOUNTED -> StoredRecord.State.ABANDONED;
            case PROCESSING, TAKEN_OVER, TAKEN_OVER_UNCOUNTED ->
                live ? StoredRecord.State.PROCESSING : StoredRecord.State.ABANDONED;
            case DONE -> StoredRecord.State.DONE;
        };
        return new StoredRecord(
                state,
                attempt,
                deaths,
                done ? 0 : token,
                owner == null ? null : new Owner(owner),
                live ? Micros.duration(leaseUntil - now) : Duration.ZERO,
                done ? Micros.instant(completedAt) : null,
                done && expiresAt != Micros.NEVER ? Micros.instant(expiresAt) : null,
                fingerprint == null ? null : new Fingerprint(fingerprint),
                done ? result : null,
                done ? null : result);
    }
}
