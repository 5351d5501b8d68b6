package io.dedup.kafka.crash;

import io.dedup.policy.DedupMode;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What is tried on each database: one mode, as records or as batches. */
enum Plan {
    LEASED(DedupMode.LEASED, false),
    /** Three effects, each in a transaction of its own; records in the database. */
    LEASED_THREE(DedupMode.LEASED, false),
    /** The same effects as named steps. */
    LEASED_STEPS(DedupMode.LEASED, false),
    /** The same, with records in Redis. */
    LEASED_STEPS_REDIS(DedupMode.LEASED, false),
    LEASED_TRANSACTIONAL(DedupMode.LEASED_TRANSACTIONAL, false),
    TRANSACTIONAL(DedupMode.TRANSACTIONAL, false),
    /** Several records of a poll in a transaction. */
    TRANSACTIONAL_POLL(DedupMode.TRANSACTIONAL, false),
    TRANSACTIONAL_BATCH(DedupMode.TRANSACTIONAL, true),
    TIERED(DedupMode.TIERED, false),
    TIERED_BATCH(DedupMode.TIERED, true);

    final DedupMode mode;
    final boolean batch;

    Plan(DedupMode mode, boolean batch) {
        this.mode = mode;
        this.batch = batch;
    }

    /** Those with these names, with commas between; or {@code all}. */
    static List<Plan> named(String names) {
        return names.equals("all")
                ? List.of(values())
                : Arrays.stream(names.split(",", -1))
                        .map(name -> valueOf(name.strip().toUpperCase(Locale.ROOT)))
                        .toList();
    }

    /** Part of the names of its topics and its tables. */
    String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isInRedis() {
        return mode == DedupMode.TIERED || this == LEASED || this == LEASED_STEPS_REDIS;
    }

    /** Whether a message's effects happen one after the other, so that a kill may come between them. */
    boolean hasThreeEffects() {
        return this == LEASED_THREE || hasSteps();
    }

    boolean hasSteps() {
        return this == LEASED_STEPS || this == LEASED_STEPS_REDIS;
    }

    /** Whether its promise is that no message ever takes effect twice. */
    boolean isExact() {
        return mode != DedupMode.LEASED;
    }
}
