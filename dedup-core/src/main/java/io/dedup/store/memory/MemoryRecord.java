package io.dedup.store.memory;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import org.jspecify.annotations.Nullable;

/**
 * One record; all times in microseconds since the epoch.
 *
 * @param leaseUntil when the lease ends, or ended, or the claim was released; of a DONE record, when it was completed
 * @param expiresAt when the record counts as absent; {@link Long#MAX_VALUE} for ever
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MemoryRecord(
        Phase phase,
        Owner owner,
        int attempt,
        int deaths,
        long token,
        long leaseUntil,
        long expiresAt,
        @Nullable Fingerprint fingerprint,
        byte @Nullable [] result) {

    enum Phase {
        RELEASED,
        /** Given back by a claim that had taken over a dead one: nobody's, and still a death to count. */
        DEAD,
        PROCESSING,
        /** PROCESSING by a claim that took over a dead one. */
        TAKEN_OVER,
        DONE
    }

    boolean isOwned() {
        return phase == Phase.PROCESSING || phase == Phase.TAKEN_OVER;
    }

    boolean isOwnedBy(Owner other) {
        return isOwned() && owner.equals(other);
    }

    boolean isLive(long now) {
        return isOwned() && now < leaseUntil;
    }

    boolean isExpired(long now) {
        return now >= expiresAt;
    }

    MemoryRecord withLease(long until, long retention) {
        return new MemoryRecord(phase, owner, attempt, deaths, token, until, until + retention, fingerprint, result);
    }

    MemoryRecord withPhase(Phase next, int nextAttempt, int nextDeaths, long now, long retention) {
        return new MemoryRecord(next, owner, nextAttempt, nextDeaths, token, now, now + retention, fingerprint, result);
    }
}
