package io.dedup.store.jdbc;

import io.dedup.store.jdbc.internal.sql.KeyFormat;

/** What a table keeps of a message's ID and scope. Chosen when the table is created; all processes must use the same. */
public enum JdbcKeyFormat {
    /** The message ID and the scope as they are. Operators can list and select by them. */
    PLAIN(KeyFormat.PLAIN),
    /**
     * A digest of 14 bytes in place of both: the first 112 bits of their SHA-256. It makes records with IDs of 36 characters a third
     * smaller. Single records can be found by their ID, but nobody can read an ID or a scope from the table:
     * {@link JdbcDedupStore#findStuck} is not supported. Not available with {@link JdbcDialect#GENERIC}.
     *
     * <p>Two keys with the same digest would count as the same message. Among a billion stored records, the probability that
     * any two have the same is 10<sup>-16</sup>.
     */
    DIGEST(KeyFormat.DIGEST);

    private final KeyFormat format;

    JdbcKeyFormat(KeyFormat format) {
        this.format = format;
    }

    KeyFormat format() {
        return format;
    }
}
