package io.dedup.store;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests the right to handle a message.
 *
 * @param owner new for every claim of a key, while the requests of one batch may have the same one; the same when a
 *     request that got no answer is repeated
 * @param lease how long the claim stays valid without renewal; at least 1 ms
 * @param fingerprint of the payload; null if payloads are not compared
 * @param fenced whether the handler needs a fencing token; if not, a store that can claim more cheaply without one may
 *     return token 0
 */
public record ClaimRequest(
        DedupKey key, Owner owner, Duration lease, @Nullable Fingerprint fingerprint, boolean fenced) {
    public ClaimRequest {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(owner, "owner");
        if (lease.toMillis() < 1) {
            throw new IllegalArgumentException("lease must be at least 1 ms, but is " + lease);
        }
    }

    /** Creates a request with a fencing token and without a fingerprint. */
    public ClaimRequest(DedupKey key, Owner owner, Duration lease) {
        this(key, owner, lease, null, true);
    }
}
