package io.dedup.store;

import java.util.Objects;

/** Requests to release a claim, so that the message can be claimed again at once. */
public record ReleaseRequest(Claim claim, ReleaseMode mode) {
    public ReleaseRequest {
        Objects.requireNonNull(claim, "claim");
        Objects.requireNonNull(mode, "mode");
    }
}
