package io.dedup.store;

import io.dedup.DedupKey;
import java.util.Objects;

/**
 * Identifies the holder of a claim in each call that changes a record. A store compares the owner, and changes nothing
 * if it differs.
 *
 * @param attempt the number that the claim returned; 0 if the claim got no answer
 */
public record Claim(DedupKey key, Owner owner, int attempt) {
    public Claim {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(owner, "owner");
    }
}
