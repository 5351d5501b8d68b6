package io.dedup;

import io.dedup.policy.DedupPolicy;
import java.util.Objects;

/** A topic of a consumer: the scope of its message IDs and its policy. */
public record DedupTopic(DedupScope scope, DedupPolicy policy) {
    public DedupTopic {
        Objects.requireNonNull(scope, "scope");
        Objects.requireNonNull(policy, "policy");
    }
}
