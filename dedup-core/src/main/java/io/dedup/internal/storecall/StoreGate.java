package io.dedup.internal.storecall;

import io.dedup.DedupStoreException;
import io.dedup.DedupTopic;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.policy.OnStoreFailure;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps handlers' threads from waiting, message by message, for a store that fails by time-outs. Only for topics that don't need
 * the store's answer: those with {@link OnStoreFailure#PROCESS}, and those in shadow mode. All others ask the store each time.
 * Thread-safe.
 *
 * <p>Closes when two slow calls in a row got no answer. While it is closed, nobody's thread but the one in the background asks;
 * an answer opens it. A store that fails at once is asked each time: that costs nothing, and protection returns with the store.
 */
public final class StoreGate {
    /** A failure that takes less doesn't hold anybody up. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int FAILURES_IN_A_ROW = 2;
    /** A store that answers pings and nothing else takes one part of the time for its time-outs, and leaves nine. */
    private static final int CLOSED_FOR_FAILURES = 10;

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Runnable onClosed;
    private final AtomicInteger failures = new AtomicInteger();
    /** From when on a probe opens it, by {@link System#nanoTime()}; 0 when it is open. */
    private final AtomicLong probedFrom = new AtomicLong();

    /** @param onClosed makes somebody probe the store; called on the thread whose call has failed */
    StoreGate(Runnable onClosed) {
        this.onClosed = onClosed;
    }

    /** Whether the store isn't to be asked about this topic's messages now. */
    boolean keepsOut(DedupTopic topic) {
        return isClosed() && isGated(topic.policy());
    }

    private static boolean isGated(DedupPolicy policy) {
        return policy.mode() == DedupMode.LEASED
                && (policy.shadow() || policy.onStoreFailure() == OnStoreFailure.PROCESS);
    }

    public boolean isClosed() {
        return probedFrom.get() != 0;
    }

    /** Whether a probe would open it. */
    boolean wantsProbe() {
        long from = probedFrom.get();
        return from != 0 && System.nanoTime() - from >= 0;
    }

    /** The store has answered a call of the kind that this gate is for. */
    public void answered() {
        if (failures.get() != 0 || isClosed()) {
            failures.set(0);
            probedFrom.set(0);
        }
    }

    /** A call on a handler's thread ended without any answer. */
    public void failed(long nanos) {
        if (nanos >= SLOW_NANOS && failures.incrementAndGet() >= FAILURES_IN_A_ROW) {
            long closedFor = Math.min(LONGEST_NANOS, nanos * CLOSED_FOR_FAILURES);
            long until = System.nanoTime() + closedFor;
            probedFrom.set(until == 0 ? 1 : until);
            onClosed.run();
        }
    }

    /** The store has answered something else. Opens the gate, and one more failure closes it again. */
    public void probeAnswered() {
        if (wantsProbe()) {
            failures.set(FAILURES_IN_A_ROW - 1);
            probedFrom.set(0);
        }
    }

    /** In place of an answer to a question that wasn't asked. */
    public static DedupStoreException notAsked() {
        return new NotAskedException("the store failed a moment ago and isn't asked before it answers a probe");
    }
}
