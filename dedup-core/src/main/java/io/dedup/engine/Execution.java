package io.dedup.engine;

import io.dedup.DedupContext;
import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupTopic;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * One admitted run of a handler, and what the handler may ask about it. Exactly one of {@link #succeed}, {@link #fail},
 * {@link #giveBack} and {@link #abandon} closes it out; further calls change nothing. Thread-safe.
 */
public final class Execution extends RunFlags implements DedupContext {
    /** Which promise holds for a run. */
    enum Guard {
        CLAIMED,
        SHADOW,
        /** Nothing but the record in the handler's transaction. */
        RECORD,
        /** The store doesn't answer; a claim may or may not exist. */
        STORE_DOWN,
        NONE
    }

    private final CloseOut closeOut;
    private final Delivery delivery;
    private final Guard guard;
    private final @Nullable ClaimRequest request;
    private final @Nullable Claim claim;
    private final int deaths;
    private volatile long fencingToken;
    private final int claimedAt; // in milliseconds, without their upper half: each message pays for this object
    private volatile long renewalSentAt;
    private volatile long startedAt;
    private volatile long returnedAt;
    private volatile byte @Nullable [] keptResult;
    private volatile @Nullable String reference;
    private volatile @Nullable KnownSuccess success;

    /**
     * A run.
     *
     * @param request what was asked for, whether or not it was answered; null when nothing was
     * @param acquired null when there is no answer
     */
    Execution(
            CloseOut closeOut,
            Delivery delivery,
            Guard guard,
            @Nullable ClaimRequest request,
            @Nullable Acquired acquired,
            long claimSentAt) {
        this.closeOut = closeOut;
        this.delivery = delivery;
        this.guard = guard;
        this.request = request;
        this.claim = request == null
                ? null
                : new Claim(request.key(), request.owner(), acquired == null ? 0 : acquired.attempt());
        this.deaths = acquired == null ? 0 : acquired.deaths();
        this.fencingToken = acquired == null ? 0 : acquired.fencingToken();
        this.claimedAt = millis(claimSentAt);
        this.renewalSentAt = claimSentAt;
    }

    /**
     * Whether the handler runs in a transaction that the engine opens: then {@link DedupEngine#run} or
     * {@link DedupEngine#open} runs it, and {@link #succeed} doesn't do.
     */
    public boolean isTransactional() {
        return mode().isTransactional();
    }

    /** The handler starts now, on this thread; {@code maxProcessingTime} counts from here. */
    public void begin() {
        long now = System.nanoTime();
        startedAt = now == 0 ? 1 : now;
        reference = closeOut.referenceOf(guard); // if it hangs, that counts, or the lease is renewed for ever
    }

    /**
     * The handler has succeeded, and a completion follows. The time until the completion isn't the handler's, and copies that
     * this process receives meanwhile are duplicates. Never throws.
     */
    public void returned() {
        long now = System.nanoTime();
        returnedAt = now == 0 ? 1 : now;
        markSucceeded();
        if (!isClosed()) {
            closeOut.returned(this);
        }
    }

    /** By what this process recognises copies until the store has recorded the success; null before the success. */
    @Nullable
    KnownSuccess success() {
        return success;
    }

    void succeeded(KnownSuccess known) {
        success = known;
    }

    /**
     * The handler succeeded. Marks the message as done; when the store can't be told, goes on trying within the lease
     * and the budget, then in the background.
     *
     * @param result for duplicates, already within the policy's size, or null
     */
    public Completion succeed(byte @Nullable [] result, WaitBudget budget) {
        requireNoTransaction();
        if (result != null && !isClosed()) {
            keptResult = result;
        }
        return close() ? closeOut.succeed(this, budget) : Completion.UNGUARDED;
    }

    /**
     * What duplicates are answered with when this succeeds, in whatever way, without a result of its own.
     *
     * @param result already within the policy's size; not copied, not to be changed
     */
    public void keepResult(byte[] result) {
        keptResult = result;
    }

    byte @Nullable [] keptResult() {
        return keptResult;
    }

    /** What the store keeps: a result, or null, and what this run is found again by. */
    byte @Nullable [] stored(byte @Nullable [] result) {
        return StoredResult.encode(result, reference);
    }

    @Nullable
    String reference() {
        return reference;
    }

    /**
     * The handler failed. Releases the claim, so that the broker's own retry can have it.
     *
     * @return whether the claim was lost before: then somebody else may be running the message, and the failure must be
     *     deferred instead of being handed to what gives up on messages
     */
    public boolean fail(Throwable cause) {
        return close() && closeOut.release(this, cause);
    }

    /** The handler was never started, and won't be: gives the claim and its attempt back. */
    public void giveBack() {
        if (close()) {
            closeOut.release(this, null);
        }
    }

    /** Nobody knows whether the work goes on: leaves the claim alone, its lease runs out. */
    public void abandon() {
        if (close()) {
            closeOut.abandon(this);
        }
    }

    /** A completion past the transaction would stand when that is rolled back. */
    void requireNoTransaction() {
        if (isTransactional()) {
            throw new IllegalStateException("mode " + mode() + " isn't supported by this adapter: message " + key());
        }
    }

    /**
     * Whether the lease is over and nothing renews it any more: the store has given the claim to somebody else, or the run
     * has taken longer than {@code maxProcessingTime}. Whoever asks for the message next may run it. The work may still go
     * on; its late success is recorded unless somebody has taken over.
     */
    public boolean isOverdue() {
        return isLost() || (hasTakenTooLong() && leaseNanosLeft() <= 0);
    }

    /** Whether the lease isn't renewed any more: the handler has taken too long, or (after an Error) to begin. */
    boolean hasTakenTooLong() {
        long nanos = isStarted() ? handlerNanos() : (millis(System.nanoTime()) - claimedAt) * 1_000_000L;
        return nanos > topic().policy().maxProcessingTime().toNanos();
    }

    private static int millis(long nanos) {
        return (int) (nanos / 1_000_000);
    }

    boolean isStarted() {
        return startedAt != 0;
    }

    Duration handlerTime() {
        return Duration.ofNanos(handlerNanos());
    }

    long handlerNanos() {
        return isStarted() ? (returnedAt == 0 ? System.nanoTime() : returnedAt) - startedAt : 0;
    }

    DedupTopic topic() {
        return delivery.topic();
    }

    Delivery delivery() {
        return delivery;
    }

    DedupMode mode() {
        return delivery.topic().policy().mode();
    }

    /** Whether a record in the transaction decides about it. */
    boolean hasRecord() {
        return (mode() == DedupMode.TRANSACTIONAL || mode() == DedupMode.TIERED)
                && (guard == Guard.RECORD || guard == Guard.CLAIMED);
    }

    /** The record is in the transaction. */
    void recordWritten(long token) {
        fencingToken = token;
    }

    int deaths() {
        return deaths;
    }

    Guard guard() {
        return guard;
    }

    @Nullable
    ClaimRequest request() {
        return request;
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

    @Override
    public @Nullable DedupKey key() {
        return delivery.key();
    }

    @Override
    public boolean guarded() {
        return guard == Guard.CLAIMED || guard == Guard.RECORD;
    }

    @Override
    public int attempt() {
        return !guarded() ? 0 : claim == null ? 1 : claim.attempt();
    }

    @Override
    public long fencingToken() {
        return guarded() && topic().policy().fencingToken() ? fencingToken : 0;
    }

    @Override
    public boolean leaseLost() {
        return guarded() && !hasRecord() && leaseNanosLeft() <= 0;
    }

    @Override
    public Duration leaseRemaining() {
        if (hasRecord()) {
            Duration left = topic().policy().maxProcessingTime().minus(handlerTime());
            return left.isNegative() ? Duration.ZERO : left;
        }
        return guarded() ? Duration.ofNanos(leaseNanosLeft()) : Duration.ZERO;
    }

    /**
     * What is left of the lease by the local clock. Counted from before the request was sent, so it ends earlier than
     * the store's lease unless the two clocks run at different speeds.
     */
    long leaseNanosLeft() {
        return isLost() ? 0 : Math.max(0, topic().policy().lease().toNanos() - (System.nanoTime() - renewalSentAt));
    }
}
