package io.dedup.adapter;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.Completion;
import org.jspecify.annotations.Nullable;

/**
 * One admitted run of a handler, and what the handler may ask about it. Exactly one of {@link #succeed}, {@link #fail},
 * {@link #giveBack} and {@link #abandon} settles it; further calls change nothing. Thread-safe.
 */
public interface Execution extends DedupContext {
    /**
     * Whether the handler runs in a transaction that the framework opens: then {@link DedupAdapter#run} or
     * {@link DedupAdapter#open} runs it, and {@link #succeed} isn't supported.
     */
    boolean isTransactional();

    /** The handler starts now, on this thread; {@code maxProcessingTime} counts from here. {@link HandlerRun} calls this. */
    void begin();

    /**
     * The handler has succeeded, and a completion follows. The time until the completion isn't the handler's, and copies that
     * this process receives meanwhile are duplicates. Never throws.
     */
    void returned();

    /**
     * The handler succeeded. Marks the message as done; when the store doesn't answer, goes on trying within the lease
     * and the budget, then in the background.
     *
     * @param result for duplicates, already within the policy's size, or null
     */
    Completion succeed(byte @Nullable [] result, WaitBudget budget);

    /**
     * What duplicates are answered with when this succeeds, in whatever way, without a result of its own.
     *
     * @param result already within the policy's size; not copied, not to be changed
     */
    void keepResult(byte[] result);

    /**
     * The handler failed. Releases the claim, so that the broker's own retry can have it.
     *
     * @return whether the claim was lost before: then somebody else may be running the message, and the failure must be
     *     deferred instead of being handed to what gives up on messages, see {@link HandlerRun#isDeferral}
     */
    boolean fail(Throwable cause);

    /** The handler was never started, and won't be: gives the claim and its attempt back. */
    void giveBack();

    /** Nobody knows whether the work goes on: leaves the claim alone, its lease runs out. */
    void abandon();

    /**
     * Whether the lease is over and nothing renews it any more: the store has given the claim to somebody else, or the run
     * has taken longer than {@code maxProcessingTime}. Whoever asks for the message next may run it. The work may still go
     * on; its late success is recorded unless somebody has taken over.
     */
    boolean isOverdue();
}
