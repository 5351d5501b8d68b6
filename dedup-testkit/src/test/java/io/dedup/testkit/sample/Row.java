package io.dedup.testkit.sample;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

// docs:begin row
/**
 * The record of a key.
 *
 * @param owner of a claim; null once the record is released or done
 * @param died whether an owner's lease ran out, and the claim that took over was given back: the next one takes over again
 * @param tookOver whether the owner's claim took over an expired lease
 * @param counts whether that death counts: only that of a claim that was made alone does
 * @param leaseUntil the end of the lease; after a release, the time of the release
 * @param doneAt null until the record is done
 * @param expiresAt when the record counts as absent
 */
@SuppressWarnings("ArrayRecordComponent") // records are never compared
record Row(
        @Nullable Owner owner,
        boolean died,
        boolean tookOver,
        boolean counts,
        int attempt,
        int deaths,
        long token,
        Instant leaseUntil,
        @Nullable Instant doneAt,
        Instant expiresAt,
        @Nullable Fingerprint fingerprint,
        byte @Nullable [] result) {

    boolean isLive(Instant now) {
        return owner != null && now.isBefore(leaseUntil);
    }

    Duration leaseLeft(Instant now) {
        return isLive(now) ? Duration.between(now, leaseUntil) : Duration.ZERO;
    }
}
// docs:end
