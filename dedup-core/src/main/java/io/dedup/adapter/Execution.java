package io.dedup.adapter;

import io.dedup.DedupContext;
import io.dedup.DedupOutcome.Completion;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * An admitted run of a handler, and its context. Exactly one of {@link #succeed}, {@link #fail}, {@link #giveBack} and
 * {@link #abandon} settles it; further calls have no effect. Thread-safe.
 */
public interface Execution extends DedupContext {
    /** The delivery that was admitted; for a claim made ahead, the one that it was made for. */
    Delivery delivery();

    /**
     * Whether the handler runs in a transaction that the framework opens. Then only {@link DedupAdapter#run} or
     * {@link DedupAdapter#open} may run it, and {@link #succeed} is not supported.
     */
    boolean isTransactional();

    /**
     * Whether a death counts against the message if the process crashes before this run is settled: its claim was made alone, at its
     * turn, and its topic counts deaths.
     */
    boolean countsDeath();

    /**
     * Marks the start of the handler on this thread; {@code maxProcessingTime} counts from here. {@link HandlerRun}
     * calls this.
     */
    void begin();

    /**
     * Makes these runs the ones that the calling thread handles, for {@link io.dedup.DedupContexts}. {@link HandlerRun} calls
     * this.
     *
     * @param together the runs of one handler call; null for this one alone
     * @return what {@link #leave} restores
     */
    @Nullable
    Object enter(@Nullable Collection<? extends Execution> together);

    /** The handler has left the calling thread; its work may go on in others. {@link HandlerRun} calls this. */
    void leave(@Nullable Object before);

    /**
     * Whether a step of this run has thrown a {@link io.dedup.step.LeaseLostException}. Then the handler has not done its work, even
     * if it caught the exception and returned.
     */
    boolean stoppedAtStep();

    /**
     * Marks that the handler has succeeded and a completion follows. The time until the completion does not count as
     * the handler's, and copies that this process receives meanwhile are duplicates. Never throws.
     */
    void returned();

    /**
     * Marks the message as done, because the handler succeeded. If the store does not answer, retries within the lease
     * and the budget, and after that in the background.
     *
     * @param result for duplicates, within the size that the policy permits; null for none
     */
    Completion succeed(byte @Nullable [] result, WaitBudget budget);

    /**
     * Sets the result that duplicates receive if the run succeeds without another result.
     *
     * @param result within the size that the policy permits; not copied, so do not change it
     */
    void keepResult(byte[] result);

    /** The result that was {@link #keepResult kept}; null if none was. Don't change it. */
    byte @Nullable [] keptResult();

    /**
     * Releases the claim, because the handler failed; the broker's redelivery can then claim the message.
     *
     * @return whether the claim had been lost before. Another consumer may then be handling the message, so the failure
     *     must be deferred instead of being passed to the broker's error handling; see {@link HandlerRun#isDeferral}
     */
    boolean fail(Throwable cause);

    /** Releases the claim of a handler that did not start; the attempt does not count. */
    void giveBack();

    /** Leaves the claim to expire with its lease, because the work may still be running. */
    void abandon();

    /**
     * Whether the lease has ended and is no longer renewed: the store has given the claim to another consumer, or the
     * run has taken longer than {@code maxProcessingTime}. Another consumer can then handle the message. The work may
     * still be running; its late success is recorded unless another consumer has taken over.
     */
    boolean isOverdue();
}
