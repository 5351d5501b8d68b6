package io.dedup.adapter;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;

/** How a run that was admitted ended. */
public sealed interface RunEnd {
    /** The handler succeeded, and what its mode promises holds: ack. */
    record Handled(Completion completion) implements RunEnd {}

    /** The handler failed, and its claim and its transaction are undone: the broker's own retry decides. */
    record Failed(Throwable cause) implements RunEnd {}

    /**
     * The handler didn't run, or what it did in its transaction was undone: go by this admission, which isn't a
     * {@link Admission.Run}.
     */
    record NotRun(Admission admission) implements RunEnd {
        /** For a handler that failed after its claim was lost; the release has notified the listeners. */
        public static NotRun leaseLost(Duration retryAfter, Throwable cause) {
            return new NotRun(new Admission.Defer(DeferReason.LEASE_LOST, retryAfter, false, cause));
        }

        /**
         * Whether the handler failed, and its claim was lost before: whoever has the message now decides. Until that is
         * known it isn't a failure, and it isn't to run here again.
         */
        public boolean failedWithoutClaim() {
            return admission instanceof Admission.Defer defer
                    && defer.reason() == DeferReason.LEASE_LOST
                    && defer.cause() != null;
        }
    }
}
