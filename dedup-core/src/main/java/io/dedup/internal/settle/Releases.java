package io.dedup.internal.settle;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.storecall.StoreGates;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Releases claims; in the background if the store does not answer.
 *
 * <p>A release ends with the run out of the heartbeat, whatever is thrown: a closed run isn't renewed any more, and must not
 * count as in flight either, or a copy in this process would wait for it. If another owner has taken the claim over, that
 * owner's run decides about the message: the caller defers it instead of passing it to the broker's error handling.
 */
public final class Releases {
    private final StoreCalls store;
    private final SafeListeners<DedupListener> notifier;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;
    private final StoreGates gates;
    private final ClaimHandover handover;

    public Releases(
            StoreCalls store,
            StoreGates gates,
            SafeListeners<DedupListener> notifier,
            Heartbeat heartbeat,
            BackgroundWrites background,
            ClaimHandover handover) {
        this.store = store;
        this.gates = gates;
        this.handover = handover;
        this.notifier = notifier;
        this.heartbeat = heartbeat;
        this.background = background;
    }

    /** Whether the claim was handed over, was never asked for, or is released in the background; if not, the store must be called. */
    private boolean isUnasked(AdmittedRun execution) {
        if (handover.instead(execution) || execution.isUnasked()) {
            return true;
        }
        boolean later = execution.guard() == Guard.STORE_DOWN || gates.keepsWritesOut(execution.topic());
        if (later) {
            background.release(request(execution), execution.topic().policy());
        }
        return later;
    }

    /** Releases claims with one call. Returns whether any claim had been lost before. */
    public boolean release(List<AdmittedRun> executions, @Nullable Throwable cause) {
        try {
            boolean lost = false;
            List<AdmittedRun> claimed = new ArrayList<>(executions.size());
            List<ReleaseRequest> requests = new ArrayList<>(executions.size());
            for (AdmittedRun execution : executions) {
                if (execution.claim() == null) {
                    continue;
                }
                if (isUnasked(execution)) {
                    lost |= reported(execution, null, cause);
                } else {
                    claimed.add(execution);
                    requests.add(request(execution));
                }
            }
            List<WriteResult> answers = store.release(requests);
            for (int i = 0; i < claimed.size(); i++) {
                WriteResult answer = orLater(claimed.get(i), requests.get(i), answers.get(i));
                lost |= reported(claimed.get(i), answer, cause);
            }
            return lost;
        } finally { // also without memory: closed runs must not count as in flight
            executions.forEach(heartbeat::remove);
        }
    }

    public void convict(AdmittedRun execution) {
        ReleaseRequest request = new ReleaseRequest(requireNonNull(execution.claim()), ReleaseMode.CONVICTED);
        try {
            WriteResult ignored = orLater( // rejected whatever the answer is
                    execution, request, store.release(List.of(request)).get(0));
        } finally {
            heartbeat.remove(execution);
        }
    }

    private WriteResult orLater(AdmittedRun execution, ReleaseRequest request, WriteResult answer) {
        if (answer instanceof WriteResult.StoreError) {
            background.release(request, execution.topic().policy());
        }
        return answer;
    }

    private boolean reported(AdmittedRun execution, @Nullable WriteResult answer, @Nullable Throwable cause) {
        DedupKey key = requireNonNull(execution.claim()).key();
        boolean lost = answer instanceof WriteResult.LeaseLost && execution.guard() == Guard.CLAIMED;
        if (lost) {
            lost(execution);
            if (cause != null && !execution.hasRecord()) { // the failure must not reach the broker's error handling
                Duration retryAfter = execution.topic().policy().maxDeferDelay();
                notifier.report(listener -> listener.deferred(key, DeferReason.LEASE_LOST, retryAfter));
            }
        } else {
            notifier.report(listener -> listener.released(key, cause));
        }
        return lost;
    }

    /** Another owner has taken over the claim. */
    void lost(AdmittedRun execution) {
        DedupKey key = requireNonNull(execution.claim()).key();
        execution.markLost();
        if (execution.reportLossOnce()) {
            notifier.report(listener -> listener.leaseLost(key));
        }
    }

    private static ReleaseRequest request(AdmittedRun execution) {
        return new ReleaseRequest(
                requireNonNull(execution.claim()),
                execution.isStarted() ? ReleaseMode.STARTED : ReleaseMode.NOT_STARTED);
    }
}
