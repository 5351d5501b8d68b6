package io.dedup.internal.run;

import io.dedup.DedupKey;
import io.dedup.Fingerprint;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.Claim;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.CompleteRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * A success of this process that the store has not recorded as DONE yet. Keeps only the key, the fingerprint and the
 * result of the message, because many of these may be pending while the store is down.
 *
 * <p>{@link io.dedup.internal.background.UnrecordedSuccesses} reads and changes the claims that replaced this one while
 * it holds the key's lock.
 */
public final class UnrecordedSuccess {
    private final Claim claim;
    private final @Nullable Fingerprint fingerprint;
    private final DedupPolicy policy;
    private final Duration handlerTime;
    private final RemainingWindow window;
    private final Instant at = Instant.now(); // by the local clock: only reported
    private volatile byte @Nullable [] stored;
    /** Claims of this process that the store may have granted after this run's lease was over, oldest first. */
    private final Deque<Claim> replacements = new ArrayDeque<>(1);
    /** When the store refused the completion, by {@link System#nanoTime()}; null while the completion is pending. */
    private @Nullable Long refusedAt;

    private boolean closed;

    UnrecordedSuccess(
            Claim claim,
            @Nullable Fingerprint fingerprint,
            DedupPolicy policy,
            Duration handlerTime,
            RemainingWindow window,
            byte @Nullable [] stored) {
        this.claim = claim;
        this.fingerprint = fingerprint;
        this.policy = policy;
        this.handlerTime = handlerTime;
        this.window = window;
        this.stored = stored;
    }

    public DedupKey key() {
        return claim.key();
    }

    public Claim claim() {
        return claim;
    }

    /** The answer to a copy, instead of the store's. */
    public AlreadyDone answer() {
        return new AlreadyDone(at, claim.attempt(), stored);
    }

    /** Whether both messages carry a fingerprint, and the fingerprints differ. */
    public boolean differsFrom(@Nullable Fingerprint other) {
        return fingerprint != null && other != null && !fingerprint.equals(other);
    }

    /** Drops the result, because too many results are pending. */
    public void dropResult() {
        stored = null;
    }

    /** Closes this: the store has recorded the success or never will, so it must not be remembered again. */
    public void close() {
        closed = true;
    }

    public boolean isClosed() {
        return closed;
    }

    public boolean isPending() {
        return refusedAt == null;
    }

    /**
     * Whether the completion was refused because the store has forgotten the message, as a claim shows that was granted: one in place
     * of this success's own, whose lease is over, would be a later attempt.
     */
    public boolean isForgottenBy(Claim granted) {
        return !isPending() && granted.attempt() > 0 && granted.attempt() <= claim.attempt();
    }

    /** The store refused the completion of every claim that this process made for the message. */
    public void refused() {
        refusedAt = System.nanoTime();
        replacements.clear();
    }

    /** A claim of this process may have replaced the one before; it completes the message if that one was lost. */
    public void addReplacement(Claim replacement) {
        replacements.add(replacement);
    }

    /** The completion is pending again, by a claim that this process made after the earlier ones were lost. */
    public void pendingAgain() {
        refusedAt = null;
    }

    @Nullable
    public Claim nextReplacement() {
        return replacements.poll();
    }

    /**
     * Whether this says nothing about copies any more: the window is over, so that they are new messages, or no claim that was asked
     * for before the refusal can still arrive.
     */
    public boolean isOver(long now) {
        Long since = refusedAt;
        return window.left(now) == null
                || (since != null
                        && now - since
                                > policy.lease().plus(policy.inFlightWait()).toNanos());
    }

    /** The completion of this success by another claim. */
    public CompleteRequest completionBy(Claim replacement) {
        return new CompleteRequest(replacement, policy.window(), stored, true);
    }

    /** What is left of the window, which has started when the handler returned. */
    public RemainingWindow window() {
        return window;
    }

    public DedupPolicy policy() {
        return policy;
    }

    public Duration handlerTime() {
        return handlerTime;
    }
}
