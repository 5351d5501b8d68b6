package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.sql.Micros;
import java.util.concurrent.TimeUnit;

/**
 * Computes the hour in which a record will be due for the purge, from the server's time as last read and this process's
 * monotonic clock since then. Only the purge uses this hour, and it checks the record's own expiry again: an hour that
 * is too early costs a second check; one that is too late leaves an expired record in the table for that long.
 *
 * <p>Thread-safe.
 */
final class PurgeClock {
    /** The hour of records that are never due. */
    static final int NEVER = 2_147_483_645;

    /** Smaller differences do not justify a write that all threads see. */
    private static final long CLOSE = TimeUnit.SECONDS.toMicros(1);

    private static final long HOUR = TimeUnit.HOURS.toMicros(1);

    /** The difference to {@link System#nanoTime}, in microseconds. */
    private volatile long ahead;

    PurgeClock() {
        seen(TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    /** @param serverTime in microseconds since 1970 UTC */
    void seen(long serverTime) {
        long now = serverTime - TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
        if (Math.abs(now - ahead) > CLOSE) {
            ahead = now;
        }
    }

    /** @param window in microseconds from now on */
    int due(long window) {
        return window == Micros.NEVER ? NEVER : (int) ((now() + window) / HOUR + 1);
    }

    /** The hour that is so many hours from now, or the last one that the column can hold. */
    int in(int hours) {
        return (int) Math.min(now() / HOUR + hours, Integer.MAX_VALUE);
    }

    private long now() {
        return TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) + ahead;
    }
}
