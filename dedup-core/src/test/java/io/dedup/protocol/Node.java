package io.dedup.protocol;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.Window;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** A process: an engine as it is, and its way to the store. Used by one history after the other. */
final class Node implements AutoCloseable {
    /** By the store's clock, which histories move; the engine's own clocks never get so far. */
    static final Duration LEASE = Duration.ofHours(1);

    static final Duration WINDOW = Duration.ofDays(1);

    final int number;
    final Gateway gateway = new Gateway();
    /** What this process has handled since it began: it must not do that again. */
    final Set<DedupKey> handled = new HashSet<>();

    Deduplicator dedup;
    private int histories;

    Node(int number) {
        this.number = number;
        this.dedup = begin();
        gateway.backgroundWork(() -> DedupAdapter.of(dedup).pendingWrites());
    }

    /** A topic of its own for each history: what an engine knows of one says nothing about another. */
    String nextTopic() {
        return "payments-" + histories++;
    }

    /** With the same way to the store, and without anything that the process knew. */
    void restart() {
        dedup.close();
        dedup = begin();
        handled.clear();
    }

    /** Dies, and what it knew is gone with it. */
    void crash() {
        gateway.crash();
        handled.clear();
    }

    private Deduplicator begin() {
        return Deduplicators.builder(gateway)
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
