package io.dedup.store;

import java.time.Duration;
import java.util.Objects;

/**
 * Requests to renew a claim.
 *
 * @param lease the new lease, counted from now by the store's clock; at least 1 ms
 */
public record RenewRequest(Claim claim, Duration lease) {
    public RenewRequest {
        Objects.requireNonNull(claim, "claim");
        if (lease.toMillis() < 1) {
            throw new IllegalArgumentException("lease must be at least 1 ms, but is " + lease);
        }
    }
}
