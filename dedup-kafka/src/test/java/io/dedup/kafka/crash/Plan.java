package io.dedup.kafka.crash;

import io.dedup.policy.DedupMode;
import java.util.Locale;

/** What is tried on each database: one mode, as records or as batches. */
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

    /** Part of the names of its topics and its tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether its promise is that no message ever takes effect twice. */
    boolean isExact() {
        return mode != DedupMode.LEASED;
    }
}
