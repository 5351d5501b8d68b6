package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.Completion;
import io.dedup.engine.Execution.Guard;
import io.dedup.internal.SafeListeners;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Ends runs: completes, releases or abandons their claims.
 *
 * <p>A completion that fails is never taken for a failed handler: releasing then would make the effect happen twice.
 */
final class CloseOut {
    private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A completion that got no answer, and where its outcome belongs. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Unanswered(Execution execution, byte @Nullable [] result, int index) {}

    private final StoreCalls store;
    private final SafeListeners<DedupListener> notifier;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;
    private final Releases releases;
    private final RunReferences references;

    CloseOut(
            StoreCalls store,
            SafeListeners<DedupListener> notifier,
            Heartbeat heartbeat,
            BackgroundWrites background,
            RunReferences references) {
        this.store = store;
        this.notifier = notifier;
        this.heartbeat = heartbeat;
        this.background = background;
        this.references = references;
        this.releases = new Releases(store, notifier, heartbeat, background);
    }

    /** What a run that begins now, on this thread, is found again by; null where no duplicate would be told. */
    @Nullable
    String referenceOf(Guard guard) {
        return guard == Guard.NONE || guard == Guard.SHADOW ? null : references.ofThisRun();
    }

    Releases releases() {
        return releases;
    }

    Completion succeed(Execution execution, byte @Nullable [] result, WaitBudget budget) {
        if (!isTold(execution)) {
            return succeedUntold(execution, result);
        }
        try {
            return complete(execution, result, budget);
        } finally {
            heartbeat.remove(execution);
        }
    }

    private Completion complete(Execution execution, byte @Nullable [] result, WaitBudget budget) {
        long sentAt = System.nanoTime();
        WriteResult answer = store.complete(request(execution, result, false));
        if (!(answer instanceof WriteResult.StoreError)) {
            return told(execution, answer);
        }
        budget.spend(System.nanoTime() - sentAt);
        if (execution.guard() == Guard.SHADOW) { // only watching
            return Completion.UNGUARDED;
        }
        List<Completion> outcome = new ArrayList<>(List.of(Completion.PENDING));
        repeat(new ArrayList<>(List.of(new Unanswered(execution, result, 0))), outcome, budget);
        return outcome.get(0);
    }

    /** Completes all with one call; answers in order. */
    List<Completion> succeedAll(List<Execution> executions, WaitBudget budget) {
        try {
            return completeAll(executions, budget);
        } finally {
            executions.forEach(heartbeat::remove);
        }
    }

    private List<Completion> completeAll(List<Execution> executions, WaitBudget budget) {
        List<CompleteRequest> requests = new ArrayList<>(executions.size());
        for (Execution execution : executions) {
            if (isTold(execution)) {
                requests.add(request(execution, execution.keptResult(), false));
            }
        }
        long sentAt = System.nanoTime();
        List<WriteResult> answers = store.completeAll(requests);
        long took = System.nanoTime() - sentAt;
        List<Completion> outcomes = new ArrayList<>(executions.size());
        List<Unanswered> unanswered = new ArrayList<>(0);
        int next = 0;
        for (Execution execution : executions) {
            WriteResult answer = isTold(execution) ? answers.get(next++) : null;
            if (answer == null) {
                outcomes.add(succeedUntold(execution, execution.keptResult()));
            } else if (!(answer instanceof WriteResult.StoreError)) {
                outcomes.add(told(execution, answer));
            } else if (execution.guard() == Guard.SHADOW) {
                outcomes.add(Completion.UNGUARDED);
            } else {
                unanswered.add(new Unanswered(execution, execution.keptResult(), outcomes.size()));
                outcomes.add(Completion.PENDING);
            }
        }
        if (!unanswered.isEmpty()) {
            budget.spend(took);
            repeat(unanswered, outcomes, budget);
        }
        return outcomes;
    }

    /** Tells again what got no answer, then leaves it to the background; enters what becomes known. */
    private void repeat(List<Unanswered> unanswered, List<Completion> outcomes, WaitBudget budget) {
        long backOff = FIRST_BACK_OFF_NANOS;
        while (!unanswered.isEmpty()) {
            // The effect has happened. Beyond the lease a successor may run; holding the consumer then helps nobody.
            long leaseLeft = 0;
            for (Unanswered each : unanswered) {
                leaseLeft = Math.max(leaseLeft, each.execution().leaseNanosLeft());
            }
            long wait = Math.min(backOff, Math.min(budget.nanosLeft(), leaseLeft));
            if (wait <= 0) {
                break;
            }
            LockSupport.parkNanos(wait);
            budget.spend(wait);
            backOff = Math.min(MAX_BACK_OFF_NANOS, backOff * 2);
            long sentAt = System.nanoTime();
            List<WriteResult> answers = again(unanswered);
            budget.spend(System.nanoTime() - sentAt);
            List<Unanswered> left = new ArrayList<>(unanswered.size());
            for (int i = 0; i < unanswered.size(); i++) {
                Unanswered each = unanswered.get(i);
                if (answers.get(i) instanceof WriteResult.StoreError) {
                    left.add(each);
                } else {
                    outcomes.set(each.index(), told(each.execution(), answers.get(i)));
                }
            }
            unanswered = left;
        }
        for (Unanswered each : unanswered) {
            background.complete(request(each.execution(), each.result(), true), each.execution());
        }
    }

    private List<WriteResult> again(List<Unanswered> unanswered) {
        List<CompleteRequest> requests = new ArrayList<>(unanswered.size());
        for (Unanswered each : unanswered) {
            requests.add(request(each.execution(), each.result(), true));
        }
        return requests.size() == 1 ? List.of(store.complete(requests.get(0))) : store.completeAll(requests);
    }

    private Completion succeedUntold(Execution execution, byte @Nullable [] result) {
        if (execution.guard() == Guard.STORE_DOWN) {
            background.complete(request(execution, result, false), execution);
        }
        return Completion.UNGUARDED;
    }

    private Completion told(Execution execution, WriteResult answer) {
        if (execution.guard() == Guard.SHADOW) {
            return Completion.UNGUARDED;
        }
        if (answer.isApplied()) {
            notifier.tell(listener -> listener.completed(keyOf(execution), execution.handlerTime()));
            return Completion.DONE;
        }
        execution.markLost();
        if (execution.reportLossOnce()) {
            notifier.tell(listener -> listener.leaseLost(keyOf(execution)));
        }
        return Completion.LEASE_LOST;
    }

    /** Whether the claim was found to be somebody else's. */
    boolean release(Execution execution, @Nullable Throwable cause) {
        return releases.release(execution, cause);
    }

    /** Releases all with one call; answers whether any was lost before. */
    boolean releaseAll(List<Execution> executions, @Nullable Throwable cause) {
        return releases.releaseAll(executions, cause);
    }

    /** The claim's message is poison: it isn't run, and its deaths are forgotten. */
    void convict(Execution execution) {
        if (execution.close()) {
            releases.convict(execution);
        }
    }

    void abandon(Execution execution) {
        heartbeat.remove(execution);
    }

    /** Whether the store is told now; else there is no claim, or no store. */
    private static boolean isTold(Execution execution) {
        return execution.guard() == Guard.CLAIMED || execution.guard() == Guard.SHADOW;
    }

    private static CompleteRequest request(Execution execution, byte @Nullable [] result, boolean repeated) {
        return new CompleteRequest(
                requireNonNull(execution.claim()),
                execution.topic().policy().window(),
                execution.stored(result),
                repeated);
    }

    private static DedupKey keyOf(Execution execution) {
        return requireNonNull(execution.claim()).key();
    }
}
