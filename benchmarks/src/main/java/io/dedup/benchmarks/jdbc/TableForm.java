package io.dedup.benchmarks.jdbc;

import io.dedup.store.jdbc.JdbcKeyFormat;

/** A form of the table, and how its rows get there. */
public enum TableForm {
    /** Claimed, and then completed. */
    LEASED("claimed and completed", JdbcKeyFormat.PLAIN, true),
    /** Written once, as done: in the handler's transaction. */
    TRANSACTIONAL("written in transactions", JdbcKeyFormat.PLAIN, false),
    /** The same in a table of PostgreSQL whose pages are filled. */
    TRANSACTIONAL_FILLED("written in transactions, fillfactor 100", JdbcKeyFormat.PLAIN, false),
    LEASED_DIGEST("claimed and completed, digests", JdbcKeyFormat.DIGEST, true),
    TRANSACTIONAL_DIGEST_FILLED("written in transactions, digests, fillfactor 100", JdbcKeyFormat.DIGEST, false);

    private final String label;
    private final JdbcKeyFormat keys;
    private final boolean claimed;

    TableForm(String label, JdbcKeyFormat keys, boolean claimed) {
        this.label = label;
        this.keys = keys;
        this.claimed = claimed;
    }

    /** What the tables of the report call it. */
    public String label() {
        return label;
    }

    JdbcKeyFormat keys() {
        return keys;
    }

    boolean isClaimed() {
        return claimed;
    }

    boolean isFilled() {
        return this == TRANSACTIONAL_FILLED || this == TRANSACTIONAL_DIGEST_FILLED;
    }

    /** Whether it differs from the others on MariaDB, which has no fill factor. */
    public boolean isOfMariaDb() {
        return this == LEASED || this == TRANSACTIONAL || this == LEASED_DIGEST;
    }
}
