package io.dedup.engine;

import io.dedup.Fingerprint;
import io.dedup.engine.Execution.Guard;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.ClaimResult.AlreadyDone;
import org.jspecify.annotations.Nullable;

/**
 * Hands a claim over to the completion of an earlier run of this process that has handled the same message. Running the message
 * would make its effect happen twice; releasing the claim would leave nobody who may record the success.
 */
final class Handover {
    private final KnownSuccesses successes;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;

    Handover(KnownSuccesses successes, Heartbeat heartbeat, BackgroundWrites background) {
        this.successes = successes;
        this.heartbeat = heartbeat;
        this.background = background;
    }

    /** Hands over a claim that was granted; null when this process hasn't handled its message, or has recorded that. */
    @Nullable
    AlreadyDone instead(Attempted attempted, Acquired acquired) {
        // A lease of this process has run out before: else the store wouldn't have granted another.
        boolean mayBeReplacement = acquired.tookOver() || acquired.attempt() > 1;
        return instead(attempted.request(), acquired.attempt(), true, mayBeReplacement);
    }

    /** The same for a claim that got no answer. */
    @Nullable
    AlreadyDone instead(Attempted attempted) {
        return instead(attempted.request(), 0, attempted.asked(), true);
    }

    /** Whether a claim whose run hasn't begun, and won't, was handed over; else it is to be released. */
    boolean instead(Execution execution) {
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
            Execution succeeded = heartbeat.succeeded(request.key());
            if (succeeded != null) { // its completion waits, or is being sent
                KnownSuccess unused = successes.of(succeeded);
            }
        }
        if (!successes.knows(request.key())) {
            return null;
        }
        return handOver(new Claim(request.key(), request.owner(), attempt), request.fingerprint(), asked);
    }

    private @Nullable AlreadyDone handOver(Claim claim, @Nullable Fingerprint fingerprint, boolean asked) {
        KnownSuccesses.TakenOver takenOver = successes.takeOver(claim, fingerprint, asked);
        if (takenOver == null) {
            return null;
        }
        if (takenOver.toTell() != null) {
            background.complete(takenOver.toTell());
        }
        return takenOver.answer();
    }
}
