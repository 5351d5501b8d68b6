package io.dedup.internal.settle;

import io.dedup.Fingerprint;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.background.UnrecordedSuccesses;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.run.UnrecordedSuccess;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.ClaimResult.AlreadyDone;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import org.jspecify.annotations.Nullable;

/**
 * Hands a claim over to the completion of an earlier run of this process that has handled the same message. Running the
 * message would repeat its effect; releasing the claim would leave no owner to record the success.
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

    /** The answer to a claim that this process knows without the store; null if the store must be asked. */
    @Nullable
    public ClaimResult known(ClaimRequest request) {
        return successes.answerTo(request);
    }

    /** Hands over a granted claim; null if this process has not handled its message, or the store has recorded that. */
    @Nullable
    public AlreadyDone instead(ClaimRequest request, Acquired acquired) {
        // A lease of this process has expired before; otherwise the store would not have granted another claim.
        boolean mayBeReplacement = acquired.tookOver() || acquired.attempt() > 1;
        return instead(request, acquired.attempt(), true, mayBeReplacement);
    }

    /**
     * Hands over a claim that got no answer.
     *
     * @param asked whether the store was called for it
     */
    @Nullable
    public AlreadyDone insteadOfUnanswered(ClaimRequest request, boolean asked) {
        return instead(request, 0, asked, true);
    }

    /**
     * Hands over or releases a claim that may have been made although its answer was lost; otherwise it would block the message for a
     * lease.
     */
    public void giveBackUnanswered(ClaimRequest request, DedupPolicy policy) {
        if (insteadOfUnanswered(request, true) == null) {
            Claim claim = new Claim(request.key(), request.owner(), 0);
            background.release(new ReleaseRequest(claim, ReleaseMode.NOT_STARTED), policy);
        }
    }

    /** Hands over the claim of a run that has not begun and will not. Returns false if it must be released instead. */
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
            if (succeeded != null) { // its completion is pending or being sent
                UnrecordedSuccess unused = successes.remember(succeeded);
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
        if (takenOver.toSend() != null) {
            background.complete(takenOver.toSend());
        }
        return takenOver.answer();
    }
}
