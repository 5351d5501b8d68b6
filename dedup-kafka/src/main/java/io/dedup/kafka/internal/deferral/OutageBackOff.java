package io.dedup.kafka.internal.deferral;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Decides how long to wait before probing the store, and at which level to log, over successive outages. Without it, a
 * store that answers probes but fails claims would pause and resume consumers ten times a second. Each outage that
 * begins soon after another one waits twice as long, and is logged at level DEBUG, except once a minute.
 *
 * <p>Times are in nanoseconds. Not thread-safe.
 */
final class OutageBackOff {
    private static final long FIRST = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LONGEST_BETWEEN_PROBES = TimeUnit.SECONDS.toNanos(2);
    /** The longest first wait of an outage that follows another one. */
    private static final long LONGEST_FIRST = TimeUnit.SECONDS.toNanos(10);
    /**
     * An outage that begins this soon after the last one counts as the same: a claim may take that long to time out.
     */
    private static final long SAME_TROUBLE = TimeUnit.SECONDS.toNanos(60);

    private static final long LOG_AGAIN = TimeUnit.SECONDS.toNanos(60);

    private final LongSupplier clock;
    private boolean hasEnded;
    private long endedAt;
    private long delay = FIRST;
    private boolean loud = true;
    private long loudSince;

    OutageBackOff(LongSupplier clock) {
        this.clock = clock;
    }

    /** The store fails for the first time, or again after it had answered. */
    void begin() {
        long now = clock.getAsLong();
        boolean again = hasEnded && now - endedAt < SAME_TROUBLE;
        loud = !again || now - loudSince >= LOG_AGAIN;
        if (loud) {
            loudSince = now;
        }
        delay = again ? Math.min(LONGEST_FIRST, delay * 2) : FIRST;
    }

    /** A probe failed. */
    void failed() {
        delay = Math.max(delay, Math.min(LONGEST_BETWEEN_PROBES, delay * 2));
    }

    /** A probe was answered. */
    void answered() {
        hasEnded = true;
        endedAt = clock.getAsLong();
    }

    /** The time before the next probe. */
    long delay() {
        return delay;
    }

    boolean isLoud() {
        return loud;
    }
}
