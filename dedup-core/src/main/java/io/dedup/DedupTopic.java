package io.dedup;

import io.dedup.policy.DedupPolicy;
import java.util.Objects;

/** A topic as its consumer deduplicates it: where its IDs are unique, and by which policy. */
public record DedupTopic(DedupScope scope, DedupPolicy policy) {
    public DedupTopic {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(policy, "policy");
    }
}
