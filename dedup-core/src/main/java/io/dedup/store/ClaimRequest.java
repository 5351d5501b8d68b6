package io.dedup.store;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The wish to run the handler of a message.
 *
 * @param owner new for every claim; the same for the repetition of a request that got no answer
 * @param lease how long the claim holds without a renewal, at least 1 ms
 * @param fingerprint of the payload, or null when payloads aren't compared
 * @param fenced whether the handler needs a fencing token; a store that can claim more cheaply without one may
 *     then answer token 0
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

    public ClaimRequest(DedupKey key, Owner owner, Duration lease) {
        this(key, owner, lease, null, true);
    }
}
