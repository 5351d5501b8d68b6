package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.PoisonMessageException;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides about copies of a message within one batch, by what was decided about the first.
 *
 * <p>A copy of a message that is about to run follows it and isn't decided on its own: it may be acknowledged only when the
 * first is done. If the copy were acknowledged at once and the handler then failed, a message without an effect would be
 * acknowledged; on Kafka, the commit of its offset would even cover the first delivery. Thread-safe.
 */
public final class BatchCopies {
    private final SafeListeners<DedupListener> notifier;
    private final AdmissionDecider decider;

    public BatchCopies(SafeListeners<DedupListener> notifier, AdmissionDecider decider) {
        this.notifier = notifier;
        this.decider = decider;
    }

    /**
     * Decides about a copy of an earlier delivery of the same batch, given the decision about that one.
     *
     * @return null if that decision says nothing about the copy, which has another payload: claim the copy separately
     */
    @Nullable
    Admission follow(Delivery copy, Delivery leader, int leaderIndex, Admission leaderAdmission) {
        DedupKey key = requireNonNull(copy.key());
        if (copy.isShadow()) {
            notifier.report(listener -> listener.shadow(key, "copy in batch"));
            decider.explain(copy, key, null, leader.place());
            return new Admission.Run(decider.unclaimed(copy));
        }
        if (leaderAdmission instanceof Admission.Run run
                && ((AdmittedRun) run.execution()).hasRecord()
                && copy.differsFrom(leader)) {
            // The content of the record is not known yet. The copy is redelivered and compared when it is.
            return decider.defer(copy, DeferReason.IN_FLIGHT, Duration.ZERO, null)
                    .behind();
        }
        boolean leaderRuns =
                leaderAdmission instanceof Admission.Run run && ((AdmittedRun) run.execution()).guard() != Guard.NONE;
        if (copy.differsFrom(leader)) {
            return leaderRuns
                    ? decider.conflict(copy, key)
                    : isNothingKnown(leaderAdmission) ? again(copy, leaderAdmission) : null;
        }
        if (leaderRuns) {
            notifier.report(listener -> listener.copyInBatch(key));
            decider.explain(copy, key, null, leader.place());
            return new Admission.Follow(leaderIndex);
        }
        return again(copy, leaderAdmission);
    }

    /** Whether an admission does not result from a comparison with the record. */
    private static boolean isNothingKnown(Admission admission) {
        return admission instanceof Admission.Defer defer
                ? defer.reason() != DeferReason.IN_FLIGHT
                : admission instanceof Admission.Reject reject && reject.cause() instanceof PoisonMessageException;
    }

    /** Repeats the leader's decision for its copy. */
    private Admission again(Delivery copy, Admission leaderAdmission) {
        DedupKey key = requireNonNull(copy.key());
        if (leaderAdmission instanceof Admission.Duplicate duplicate) {
            decider.report(copy, key, duplicate);
        } else if (leaderAdmission instanceof Admission.Defer defer) {
            notifier.report(listener -> listener.deferred(key, defer.reason(), defer.retryAfter()));
        } else if (!(leaderAdmission instanceof Admission.Reject reject
                && reject.cause() instanceof PoisonMessageException)) {
            return decider.conflict(copy, key); // with the record, as its leader: rejected, ignored, or run unguarded
        }
        return leaderAdmission;
    }
}
