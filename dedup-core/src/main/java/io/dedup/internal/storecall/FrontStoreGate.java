package io.dedup.internal.storecall;

import io.dedup.DedupStoreException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps from asking a store in front that has just failed. Every question would cost its time-out, and the records behind
 * it answer as well. Thread-safe.
 */
public final class FrontStoreGate {
    private static final long CLOSED_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** When it may be asked again, by {@link System#nanoTime()}; 0 when it may be asked. */
    private final AtomicLong closedUntil = new AtomicLong();

    public boolean isClosed() {
        long until = closedUntil.get();
        return until != 0 && until - System.nanoTime() > 0;
    }

    public void answered(boolean failed) {
        long until = System.nanoTime() + CLOSED_NANOS;
        closedUntil.set(failed ? (until == 0 ? 1 : until) : 0);
    }

    /** In place of an answer. */
    public static DedupStoreException skip() {
        return new NotAskedException("the store in front failed a moment ago and isn't asked");
    }
}
