package io.dedup.protocol;

import io.dedup.DedupPolicy;
import io.dedup.Deduplicator;
import io.dedup.Window;
import java.time.Duration;

/** A process: an engine as it is, and its way to the store. Used by one history after the other. */
final class Node implements AutoCloseable {
    /** By the store's clock, which histories move; the engine's own clocks never get so far. */
    static final Duration LEASE = Duration.ofHours(1);

    static final Duration WINDOW = Duration.ofDays(1);
    static final String TOPIC = "payments";

    final int number;
    final Gateway gateway = new Gateway();
    final Deduplicator dedup;

    Node(int number) {
        this.number = number;
        dedup = Deduplicator.builder(gateway)
                .consumer("billing")
                .shutdownTimeout(Duration.ZERO)
                .defaults(DedupPolicy.builder()
                        .lease(LEASE)
                        .maxProcessingTime(LEASE.multipliedBy(2))
                        .window(Window.of(WINDOW))
                        .inFlightWait(Duration.ZERO)
                        .build())
                .build();
    }

    @Override
    public void close() {
        dedup.close();
    }

    @Override
    public String toString() {
        return "P" + number;
    }
}
