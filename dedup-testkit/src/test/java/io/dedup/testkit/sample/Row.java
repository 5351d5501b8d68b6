package io.dedup.testkit.sample;

import io.dedup.Fingerprint;
import io.dedup.store.Owner;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

// docs:begin row
/**
 * What is kept for a key.
 *
 * @param owner of a claim; null once it is released or done
 * @param died whether the last owner's lease ran out, and a release gave that death back to be counted again
 * @param tookOver whether the owner's claim ended such a lease
 * @param leaseUntil also after a release, when it is the time of that
 * @param doneAt null until it is done
 * @param expiresAt when the row counts as absent
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Row(
        @Nullable Owner owner,
        boolean died,
        boolean tookOver,
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
