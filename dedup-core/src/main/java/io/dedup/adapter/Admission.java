package io.dedup.adapter;

import io.dedup.DedupException;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.SkipReason;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What an adapter does with a delivery. */
public sealed interface Admission {
    /** Run the handler; then settle the execution, whatever happens. */
    record Run(Execution execution) implements Admission {}

    /**
     * Ack, don't run.
     *
     * @param done with the handler's result alone
     * @param firstRun what the run that has handled it is found again by, where that was kept
     */
    record Duplicate(AlreadyDone done, @Nullable String firstRun) implements Admission {}

    /** Ack without an effect, by policy. */
    record Ignore(SkipReason reason) implements Admission {}

    /**
     * A copy of an earlier delivery of the same batch that runs: ack it when that one is acked, don't run it.
     *
     * @param leader the index of that delivery, always lower
     */
    record Follow(int leader) implements Admission {}

    /**
     * Let the broker deliver it again; never ack, and don't count it as a failure.
     *
     * @param retryAfter the delay that makes sense
     * @param pause whether the policy asks to pause the consumer until {@link DedupAdapter#ping} succeeds
     * @param behindOthers whether it waits for nothing but what is before it in its own batch
     */
    record Defer(
            DeferReason reason,
            Duration retryAfter,
            boolean pause,
            boolean behindOthers,
            @Nullable Throwable cause) implements Admission {
        /** One that waits for more than its own batch. */
        public Defer(DeferReason reason, Duration retryAfter, boolean pause, @Nullable Throwable cause) {
            this(reason, retryAfter, pause, false, cause);
        }

        /** Because of what is before it in its own batch. */
        public Defer behind() {
            return new Defer(reason, retryAfter, pause, true, cause);
        }
    }

    /** Fail the delivery with this exception; retrying can't help. */
    record Reject(DedupException cause) implements Admission {}
}
