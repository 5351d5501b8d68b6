package io.dedup.adapter;

import io.dedup.DedupException;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupOutcome.SkipReason;
import io.dedup.duplicate.MessagePlace;
import io.dedup.store.ClaimResult.AlreadyDone;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The decision about a delivery, which the adapter carries out. */
public sealed interface Admission {
    /** The executions of those among these that run, in order. */
    static List<Execution> executions(List<Admission> admissions) {
        List<Execution> executions = new ArrayList<>(admissions.size());
        for (Admission admission : admissions) {
            if (admission instanceof Run run) {
                executions.add(run.execution());
            }
        }
        return executions;
    }

    /** Run the handler, then settle the execution in every case. */
    record Run(Execution execution) implements Admission {}

    /**
     * Acknowledge the delivery without running the handler: it is a duplicate.
     *
     * @param done the record, with the handler's result only
     * @param firstRun the reference of the run that handled the message; null if none was kept
     * @param first where the message that was handled is; null if that was not kept
     */
    record Duplicate(
            AlreadyDone done,
            @Nullable String firstRun,
            @Nullable MessagePlace first) implements Admission {}

    /** Acknowledge the delivery without running the handler, because a policy says so. */
    record Ignore(SkipReason reason) implements Admission {}

    /**
     * A copy of an earlier delivery of the same batch that runs: do not run it, and acknowledge it when that delivery
     * is acknowledged.
     *
     * @param leader the index of that delivery, always lower
     */
    record Follow(int leader) implements Admission {}

    /**
     * Have the broker redeliver it. Never acknowledge it, and do not count it as a failure.
     *
     * @param retryAfter the suggested delay before the redelivery
     * @param pause whether the policy asks to pause the consumer until {@link DedupAdapter#ping} succeeds
     * @param behindOthers whether it waits only for earlier deliveries of its own batch
     * @param cause null if no exception caused the deferral
     */
    record Defer(
            DeferReason reason,
            Duration retryAfter,
            boolean pause,
            boolean behindOthers,
            @Nullable Throwable cause) implements Admission {
        /** Creates a deferral that does not wait for its own batch. */
        public Defer(DeferReason reason, Duration retryAfter, boolean pause, @Nullable Throwable cause) {
            this(reason, retryAfter, pause, false, cause);
        }

        /** Returns this deferral, marked as waiting only for earlier deliveries of its own batch. */
        public Defer behind() {
            return new Defer(reason, retryAfter, pause, true, cause);
        }
    }

    /** Fail the delivery with this exception; retrying cannot help. */
    record Reject(DedupException cause) implements Admission {}
}
