package io.dedup.kafka.crash;

import io.dedup.policy.DedupMode;
import java.util.Locale;

/** A listener of the consumer that is killed: one mode, as records or as batches, on a topic and tables of its own. */
enum Plan {
    LEASED(DedupMode.LEASED, false),
    LEASED_TRANSACTIONAL(DedupMode.LEASED_TRANSACTIONAL, false),
    TRANSACTIONAL(DedupMode.TRANSACTIONAL, false),
    TRANSACTIONAL_BATCH(DedupMode.TRANSACTIONAL, true),
    TIERED(DedupMode.TIERED, false),
    TIERED_BATCH(DedupMode.TIERED, true);

    final DedupMode mode;
    final boolean batch;

    Plan(DedupMode mode, boolean batch) {
        this.mode = mode;
        this.batch = batch;
    }

    /** Part of the names of its topic and its tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    String topic(String run) {
        return run + "-" + id();
    }

    /** Whether its promise is that no message ever takes effect twice. */
    boolean isExact() {
        return mode != DedupMode.LEASED;
    }
}
