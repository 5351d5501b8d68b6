package io.dedup.store;

import java.util.Objects;

/**
 * Requests to append bytes to what a claimed message's record has kept.
 *
 * @param entry at least one byte. Not copied, so do not change it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StepRequest(Claim claim, byte[] entry) {
    public StepRequest {
        Objects.requireNonNull(claim, "claim");
        Objects.requireNonNull(entry, "entry");
    }
}
