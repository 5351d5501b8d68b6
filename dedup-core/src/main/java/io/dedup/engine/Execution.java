package io.dedup.engine;

import io.dedup.DedupContext;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupTopic;
import io.dedup.store.Claim;
import io.dedup.store.ClaimResult.Acquired;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One admitted run of a handler, and what the handler may ask about it. Exactly one of {@link #succeed}, {@link #fail},
 * {@link #giveBack} and {@link #abandon} closes it out; further calls change nothing. Thread-safe.
 */
public final class Execution implements DedupContext {
    /** Which promise holds for a run. */
    enum Guard {
        CLAIMED,
        SHADOW,
        /** The store doesn't answer; a claim may or may not exist. */
        STORE_DOWN,
        NONE
    }

    private static final Acquired NO_CLAIM = new Acquired(0, 0, false, 0);

    private final CloseOut closeOut;
    private final DedupTopic topic;
    private final Guard guard;
    private final @Nullable Claim claim;
    private final Acquired acquired;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile long renewalSentAt;
    private volatile boolean lost;
    private boolean lossReported;
    private boolean overrunReported;
    private volatile long startedAt;

    Execution(
            CloseOut closeOut,
            DedupTopic topic,
            Guard guard,
            @Nullable Claim claim,
            @Nullable Acquired acquired,
            long claimSentAt) {
        this.closeOut = closeOut;
        this.topic = topic;
        this.guard = guard;
        this.claim = claim;
        this.acquired = acquired == null ? NO_CLAIM : acquired;
        this.renewalSentAt = claimSentAt;
    }

    /** The handler starts now; {@code maxProcessingTime} counts from here. */
    public void begin() {
        startedAt = nonZeroNanoTime();
    }

    /**
     * The handler succeeded. Marks the message as done; when the store can't be told, goes on trying within the lease
     * and the budget, then in the background.
     *
     * @param result for duplicates, already within the policy's size, or null
     */
    public Completion succeed(byte @Nullable [] result, WaitBudget budget) {
        return closed.compareAndSet(false, true) ? closeOut.succeed(this, result, budget) : Completion.UNGUARDED;
    }

    /**
     * The handler failed. Releases the claim, so that the broker's own retry can have it.
     *
     * @return whether the claim was lost before: then somebody else may be running the message, and the failure must be
     *     deferred instead of being handed to what gives up on messages
     */
    public boolean fail(Throwable cause) {
        return closed.compareAndSet(false, true) && closeOut.release(this, cause);
    }

    /** The handler was never started, and won't be: gives the claim and its attempt back. */
    public void giveBack() {
        if (closed.compareAndSet(false, true)) {
            closeOut.release(this, null);
        }
    }

    /** Nobody knows whether the work goes on: leaves the claim alone, its lease runs out. */
    public void abandon() {
        if (closed.compareAndSet(false, true)) {
            closeOut.abandon(this);
        }
    }

    boolean closeForBatch() {
        return closed.compareAndSet(false, true);
    }

    boolean isStarted() {
        return startedAt != 0;
    }

    Duration handlerTime() {
        return isStarted() ? Duration.ofNanos(System.nanoTime() - startedAt) : Duration.ZERO;
    }

    DedupTopic topic() {
        return topic;
    }

    Guard guard() {
        return guard;
    }

    @Nullable
    Claim claim() {
        return claim;
    }

    /** When the last claim or renewal that succeeded was sent, by {@link System#nanoTime()}. */
    long renewalSentAt() {
        return renewalSentAt;
    }

    void renewed(long sentAt) {
        renewalSentAt = sentAt;
    }

    /** The store has told that the claim is somebody else's. */
    void markLost() {
        lost = true;
    }

    boolean isLost() {
        return lost;
    }

    /** True the first time that it is called. Only the heartbeat's thread calls it. */
    boolean reportLossOnce() {
        boolean first = !lossReported;
        lossReported = true;
        return first;
    }

    /** True the first time that it is called. Only the heartbeat's thread calls it. */
    boolean reportOverrunOnce() {
        boolean first = !overrunReported;
        overrunReported = true;
        return first;
    }

    @Override
    public @Nullable DedupKey key() {
        return claim == null ? null : claim.key();
    }

    @Override
    public boolean guarded() {
        return guard == Guard.CLAIMED;
    }

    @Override
    public int attempt() {
        return acquired.attempt();
    }

    @Override
    public long fencingToken() {
        return guarded() ? acquired.fencingToken() : 0;
    }

    @Override
    public boolean leaseLost() {
        return guarded() && leaseNanosLeft() <= 0;
    }

    @Override
    public Duration leaseRemaining() {
        return guarded() ? Duration.ofNanos(leaseNanosLeft()) : Duration.ZERO;
    }

    /**
     * What is left of the lease by the local clock. Counted from before the request was sent, so it ends earlier than
     * the store's lease unless the two clocks run at different speeds.
     */
    long leaseNanosLeft() {
        return lost ? 0 : Math.max(0, topic.policy().lease().toNanos() - (System.nanoTime() - renewalSentAt));
    }

    private static long nonZeroNanoTime() {
        long now = System.nanoTime();
        return now == 0 ? 1 : now;
    }
}
