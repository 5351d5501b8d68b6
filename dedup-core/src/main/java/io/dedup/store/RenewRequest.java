package io.dedup.store;

import java.time.Duration;
import java.util.Objects;

/** The wish to hold a claim for another {@code lease}, counted from now by the store's clock; at least 1 ms. */
public record RenewRequest(Claim claim, Duration lease) {
    public RenewRequest {
        Objects.requireNonNull(claim, "claim");
        if (lease.toMillis() < 1) {
            throw new IllegalArgumentException("lease must be at least 1 ms, but is " + lease);
        }
    }
}
