package io.dedup.store.jdbc.internal.sql;

import java.time.Duration;

/**
 * What a builder was told, checked.
 *
 * @param lockTimeout for how long a statement waits for a row that somebody else has locked
 * @param queryTimeout for how long a statement may take in all
 * @param maxBatch how many keys a statement takes at most
 */
public record JdbcSettings(
        TableName table, Duration attemptRetention, Duration lockTimeout, Duration queryTimeout, int maxBatch) {
    /** What a connection gets beyond the query time-out before its socket is given up. */
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

    /** At most what a driver takes, which is 24 days. */
    public static int networkTimeoutMillis(Duration timeout) {
        Duration most = Duration.ofMillis(Integer.MAX_VALUE).minus(NETWORK_GRACE);
        return Math.toIntExact((timeout.compareTo(most) < 0 ? timeout : most)
                .plus(NETWORK_GRACE)
                .toMillis());
    }
}
