package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.policy.DedupPolicy;
import java.util.Set;
import java.util.function.Function;

/** Makes a listener for each deduplicator, where a {@link DedupListener} needs to know its policies. */
public interface DeduplicatorListenerFactory {
    /** The listener of a deduplicator; {@code policies} finds the policy of a topic. */
    DedupListener of(String consumer, Function<String, DedupPolicy> policies);

    /** Called when the deduplicator is open. */
    default void opened(Deduplicator deduplicator) {}

    /** Called when something of this consumer is deduplicated that reads these topics, before it reads them. */
    default void serving(String consumer, Set<String> topics) {}
}
