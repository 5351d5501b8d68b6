package io.dedup.kafka.internal.share;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.policy.DedupMode;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a share consumer from acquiring records while the store doesn't answer. Each acquisition is one of a record's few deliveries, so a
 * consumer that is restarted during an outage, acquires, and can only defer would bring its records closer to their archiving each time.
 * Asks the store before the first acquisition, and again after the store has failed. Not thread-safe.
 */
final class StoreGate {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final long PROBE_NANOS = Duration.ofSeconds(1).toNanos();

    private final DedupAdapter engine;
    private final String consumer;
    private final Set<DedupMode> modes;
    private boolean open;
    private boolean warned;
    private long probeAt = System.nanoTime();

    /** @param modes of the topics whose messages wait for the store; without any, there is nothing to guard */
    StoreGate(DedupAdapter engine, String consumer, Set<DedupMode> modes) {
        this.engine = engine;
        this.consumer = consumer;
        this.modes = modes;
        this.open = modes.isEmpty();
    }

    /** Whether records may be acquired. Asks the store if it isn't known, at most once a second. */
    boolean isOpen() {
        if (!open && System.nanoTime() - probeAt >= 0) {
            probe();
        }
        return open;
    }

    private void probe() {
        try {
            modes.forEach(engine::ping);
            open = true;
            if (warned) {
                warned = false;
                log.info("The deduplication store answers; {} fetches again", consumer);
            }
        } catch (RuntimeException e) {
            if (!warned) {
                warned = true;
                log.warn(
                        "The deduplication store doesn't answer, so {} fetches no records until it does:"
                                + " each fetch would count as one of a record's deliveries",
                        consumer,
                        e);
            }
            probeAt = System.nanoTime() + PROBE_NANOS;
        }
    }

    /** A record was deferred because the store didn't answer: nothing is acquired before it has answered. */
    void storeFailed() {
        open = modes.isEmpty();
    }

    /** Nanoseconds until the store is asked again. */
    long untilProbe() {
        return Math.max(0, probeAt - System.nanoTime());
    }
}
