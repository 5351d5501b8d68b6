package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.sql.Micros;
import java.util.concurrent.TimeUnit;

/**
 * Tells in which hour a record will be due for the purge, by the server's time as it last told it and this process's monotonic
 * clock since. Nothing but the purge goes by it, and looks at the record's own end again: too early an hour costs it a second
 * look, too late a one leaves a record that is over in the table for as long.
 *
 * <p>Thread-safe.
 */
final class PurgeClock {
    /** The hour of what is never due. */
    static final int NEVER = 2_147_483_645;

    /** Within that it isn't worth a write that all threads see. */
    private static final long CLOSE = TimeUnit.SECONDS.toMicros(1);

    private static final long HOUR = TimeUnit.HOURS.toMicros(1);

    /** Of {@link System#nanoTime}, in microseconds. */
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
        long now = TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) + ahead;
        return window == Micros.NEVER ? NEVER : (int) ((now + window) / HOUR + 1);
    }
}
