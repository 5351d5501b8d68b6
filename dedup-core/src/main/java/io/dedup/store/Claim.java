package io.dedup.store;

import io.dedup.DedupKey;
import java.util.Objects;

/**
 * What its holder shows to change a record: stores compare the owner, and change nothing for anybody else.
 *
 * @param attempt as answered by the claim; 0 when the claim got no answer
 */
public record Claim(DedupKey key, Owner owner, int attempt) {
    public Claim {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(owner, "owner");
    }
}
