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
 * Keeps handlers' threads from waiting, message by message, for a store that fails with timeouts. Only for topics that
 * do not need the store's answer: those with {@link OnStoreFailure#PROCESS} and those in shadow mode. All others always
 * call the store. Thread-safe.
 *
 * <p>Closes after two slow calls in a row without an answer. While it is closed, only the background thread calls the
 * store; an answer opens it. A store that fails fast is always called: that costs nothing, and protection returns with
 * the store.
 */
public final class StoreGate {
    /** A faster failure delays nobody. */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final int FAILURES_IN_A_ROW = 2;
    /** If the store answers only pings, its timeouts then take at most one tenth of the time. */
    private static final int CLOSED_FOR_FAILURES = 10;

    private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Runnable onClosed;
    private final AtomicInteger failures = new AtomicInteger();
    /** From when a probe opens it, by {@link System#nanoTime()}; 0 if it is open. */
    private final AtomicLong probedFrom = new AtomicLong();

    /**
     * Creates a gate.
     *
     * @param onClosed triggers probing the store; called on the thread whose call failed
     */
    StoreGate(Runnable onClosed) {
        this.onClosed = onClosed;
    }

    /** Whether to skip calling the store for messages of this topic now. */
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

    /** The store has answered another call. Opens the gate; one more failure closes it again. */
    public void probeAnswered() {
        if (wantsProbe()) {
            failures.set(FAILURES_IN_A_ROW - 1);
            probedFrom.set(0);
        }
    }

    /** Stands for the answer of a call that was not made. */
    public static DedupStoreException notAsked() {
        return new NotAskedException("the store failed and is not called again until it answers a probe");
    }
}
