package io.dedup.failover.load;

import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import java.time.Duration;

/** How all scenarios deduplicate. */
public final class LoadPolicy {
    /** Shorter than most failovers: leases run out while no store answers. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    private LoadPolicy() {}

    /** A deduplicator of a topic in this mode. */
    public static DeduplicatorBuilder builder(DedupStore store, String topic, DedupMode mode) {
        return Deduplicators.builder(store)
                .consumer(topic)
                .shutdownTimeout(Duration.ofSeconds(5))
                .topic(
                        topic,
                        policy -> policy.mode(mode)
                                .lease(LEASE)
                                .maxProcessingTime(Duration.ofSeconds(10))
                                .inFlightWait(Duration.ofMillis(200))
                                .maxDeferDelay(Duration.ofMillis(200)));
    }
}
