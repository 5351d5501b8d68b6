package io.dedup.internal.settle;

import io.dedup.Fingerprint;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.background.UnrecordedSuccesses;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.run.UnrecordedSuccess;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.ClaimResult.AlreadyDone;
import org.jspecify.annotations.Nullable;

/**
 * Hands a claim over to the completion of an earlier run of this process that has handled the same message. Running the message
 * would make its effect happen twice; releasing the claim would leave nobody who may record the success.
 */
public final class ClaimHandover {
    private final UnrecordedSuccesses successes;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;

    public ClaimHandover(UnrecordedSuccesses successes, Heartbeat heartbeat, BackgroundWrites background) {
        this.successes = successes;
        this.heartbeat = heartbeat;
        this.background = background;
    }

    /** Hands over a claim that was granted; null when this process hasn't handled its message, or has recorded that. */
    @Nullable
    public AlreadyDone instead(ClaimRequest request, Acquired acquired) {
        // A lease of this process has run out before: else the store wouldn't have granted another.
        boolean mayBeReplacement = acquired.tookOver() || acquired.attempt() > 1;
        return instead(request, acquired.attempt(), true, mayBeReplacement);
    }

    /**
     * The same for a claim that got no answer.
     *
     * @param asked whether the store was asked for it
     */
    @Nullable
    public AlreadyDone insteadOfUnanswered(ClaimRequest request, boolean asked) {
        return instead(request, 0, asked, true);
    }

    /** Whether a claim whose run hasn't begun, and won't, was handed over; else it is to be released. */
    public boolean instead(AdmittedRun execution) {
        ClaimRequest request = execution.request();
        if (execution.guard() != Guard.CLAIMED
                || execution.isStarted()
                || request == null
                || execution.isTransactional()) {
            return false;
        }
        return instead(request, execution.attempt(), true, execution.attempt() > 1) != null;
    }

    private @Nullable AlreadyDone instead(ClaimRequest request, int attempt, boolean asked, boolean lookAtRuns) {
        if (lookAtRuns) {
            AdmittedRun succeeded = heartbeat.succeeded(request.key());
            if (succeeded != null) { // its completion waits, or is being sent
                UnrecordedSuccess unused = successes.of(succeeded);
            }
        }
        if (!successes.knows(request.key())) {
            return null;
        }
        return handOver(new Claim(request.key(), request.owner(), attempt), request.fingerprint(), asked);
    }

    private @Nullable AlreadyDone handOver(Claim claim, @Nullable Fingerprint fingerprint, boolean asked) {
        UnrecordedSuccesses.TakenOver takenOver = successes.takeOver(claim, fingerprint, asked);
        if (takenOver == null) {
            return null;
        }
        if (takenOver.toTell() != null) {
            background.complete(takenOver.toTell());
        }
        return takenOver.answer();
    }
}
