package io.dedup.internal.storecall;

import io.dedup.DedupStoreException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Prevents calls to a front store that has just failed: every call would cost its timeout, and the database records
 * behind it answer as well. Thread-safe.
 */
public final class FrontStoreGate {
    private static final long CLOSED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** When it may be called again, by {@link System#nanoTime()}; 0 if it may be called now. */
    private final AtomicLong closedUntil = new AtomicLong();

    public boolean isClosed() {
        long until = closedUntil.get();
        return until != 0 && until - System.nanoTime() > 0;
    }

    public void answered(boolean failed) {
        long until = System.nanoTime() + CLOSED_NANOS;
        closedUntil.set(failed ? (until == 0 ? 1 : until) : 0);
    }

    /** Stands for the answer of a call that was not made. */
    public static DedupStoreException skip() {
        return new NotAskedException("the front store failed less than a second ago and is not called");
    }
}
