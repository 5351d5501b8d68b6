package io.dedup.store.jdbc.internal.sql;

import java.time.Duration;

/**
 * The checked settings of a store.
 *
 * @param keys what the table keeps of a message's key
 * @param lockTimeout how long a statement waits for a row that another session has locked
 * @param queryTimeout how long a statement may take in total
 * @param maxBatch the maximum number of keys in a statement
 */
public record JdbcSettings(
        TableName table,
        KeyFormat keys,
        Duration attemptRetention,
        Duration lockTimeout,
        Duration queryTimeout,
        int maxBatch) {
    /** The time that a connection gets in addition to the query timeout before its socket is closed. */
    private static final Duration NETWORK_GRACE = Duration.ofSeconds(2);

    public long retentionMicros() {
        return Micros.of(attemptRetention);
    }

    /** JDBC counts in seconds; rounded up, as 0 would mean no limit. */
    public int queryTimeoutSeconds() {
        return wholeSeconds(queryTimeout);
    }

    public static int wholeSeconds(Duration duration) {
        return Math.toIntExact(duration.plusSeconds(1).minusNanos(1).toSeconds());
    }

    public int networkTimeoutMillis() {
        return networkTimeoutMillis(queryTimeout);
    }

    /** At most what drivers accept, which is 24 days. */
    public static int networkTimeoutMillis(Duration timeout) {
        Duration most = Duration.ofMillis(Integer.MAX_VALUE).minus(NETWORK_GRACE);
        return Math.toIntExact((timeout.compareTo(most) < 0 ? timeout : most)
                .plus(NETWORK_GRACE)
                .toMillis());
    }
}
