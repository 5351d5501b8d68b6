package io.dedup.internal.settle;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.Completion;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.background.PendingCompletion;
import io.dedup.internal.background.UnrecordedSuccesses;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.run.UnrecordedSuccess;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.storecall.StoreGates;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Records successes in the store: at once, with retries while the store does not answer, or in the background.
 *
 * <p>A failed completion never counts as a failed handler: releasing the claim then would make the effect happen twice.
 */
public final class Completions {
    private static final long FIRST_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** A completion without an answer, and the index of its outcome. */
    private record Unanswered(AdmittedRun execution, int index) {}

    private final StoreCalls store;
    private final StoreGates gates;
    private final SafeListeners<DedupListener> notifier;
    private final BackgroundWrites background;
    private final UnrecordedSuccesses successes;

    public Completions(
            StoreCalls store,
            StoreGates gates,
            SafeListeners<DedupListener> notifier,
            BackgroundWrites background,
            UnrecordedSuccesses successes) {
        this.store = store;
        this.gates = gates;
        this.notifier = notifier;
        this.background = background;
        this.successes = successes;
    }

    /** From now on, this process treats copies of the message as duplicates, whatever the store answers. */
    void rememberSuccess(AdmittedRun execution) {
        UnrecordedSuccess unused = successes.remember(execution);
    }

    /** The run has not succeeded after all, or its success cannot be recorded. */
    public void forgetSuccess(AdmittedRun execution) {
        successes.answered(execution);
    }

    public Completion complete(AdmittedRun execution, WaitBudget budget) {
        succeeded(execution);
        long sentAt = System.nanoTime();
        WriteResult answer = isAsked(execution)
                ? store.complete(List.of(request(execution, false))).get(0)
                : null;
        Completion outcome = outcomeOf(execution, answer);
        if (answer instanceof WriteResult.StoreError) {
            budget.spend(System.nanoTime() - sentAt);
        }
        if (outcome != null) {
            return outcome;
        }
        List<Completion> outcomes = new ArrayList<>(List.of(Completion.PENDING));
        repeat(List.of(new Unanswered(execution, 0)), outcomes, budget);
        return outcomes.get(0);
    }

    /**
     * Notes that the handler has succeeded; copies are duplicates from now on. They find the run by its claim in the
     * heartbeat, which keeps the claims of succeeded runs. If the claim may already be missing there, because it was
     * overdue, they find the success itself.
     */
    public void succeeded(AdmittedRun execution) {
        execution.markSucceeded();
        boolean mayHaveNone =
                execution.guard() == Guard.STORE_DOWN || (execution.guard() == Guard.CLAIMED && execution.isOverdue());
        if (mayHaveNone) {
            rememberSuccess(execution);
        }
    }

    /** Completes all with one call. Returns the results in order. */
    public List<Completion> completeAll(List<AdmittedRun> executions, WaitBudget budget) {
        List<AdmittedRun> asked = new ArrayList<>(executions.size());
        List<CompleteRequest> requests = new ArrayList<>(executions.size());
        for (AdmittedRun execution : executions) {
            succeeded(execution);
            if (isAsked(execution)) {
                asked.add(execution);
                requests.add(request(execution, false));
            }
        }
        long sentAt = System.nanoTime();
        List<WriteResult> answers = store.complete(requests);
        long took = System.nanoTime() - sentAt;
        List<Completion> outcomes = new ArrayList<>(executions.size());
        List<Unanswered> unanswered = new ArrayList<>(0);
        int next = 0;
        for (AdmittedRun execution : executions) {
            boolean wasAsked = next < asked.size() && asked.get(next) == execution;
            Completion outcome = outcomeOf(execution, wasAsked ? answers.get(next++) : null);
            if (outcome == null) {
                unanswered.add(new Unanswered(execution, outcomes.size()));
            }
            outcomes.add(outcome == null ? Completion.PENDING : outcome);
        }
        if (!unanswered.isEmpty()) {
            budget.spend(took);
            repeat(unanswered, outcomes, budget);
        }
        return outcomes;
    }

    /** Repeats completions without an answer, then passes them to the background. Sets their outcomes. */
    private void repeat(List<Unanswered> unanswered, List<Completion> outcomes, WaitBudget budget) {
        for (Unanswered each : unanswered) {
            rememberSuccess(each.execution());
        }
        long backOff = FIRST_BACK_OFF_NANOS;
        while (!unanswered.isEmpty()) {
            // The effect has happened. After the lease, another consumer may run; blocking this one is useless then.
            long leaseLeft = 0;
            for (Unanswered each : unanswered) {
                if (!gates.keepsWritesOut(each.execution().topic())) {
                    leaseLeft = Math.max(leaseLeft, each.execution().leaseNanosLeft());
                }
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
                    outcomes.set(each.index(), answered(each.execution(), answers.get(i)));
                }
            }
            unanswered = left;
        }
        for (Unanswered each : unanswered) {
            later(each.execution());
        }
    }

    private List<WriteResult> again(List<Unanswered> unanswered) {
        List<CompleteRequest> requests = new ArrayList<>(unanswered.size());
        for (Unanswered each : unanswered) {
            requests.add(request(each.execution(), true));
        }
        return store.complete(requests);
    }

    private Completion completeUnasked(AdmittedRun execution) {
        if (execution.guard() == Guard.CLAIMED) { // the gate is closed
            later(execution);
            return Completion.PENDING;
        }
        if (execution.guard() == Guard.STORE_DOWN) {
            later(execution);
        }
        return Completion.UNGUARDED;
    }

    /** Records the success in the background. */
    public void later(AdmittedRun execution) {
        rememberSuccess(execution);
        background.complete(request(execution, true), execution);
    }

    /**
     * @param answer null if the store was not called
     * @return null if the store did not answer and must be called again
     */
    private @Nullable Completion outcomeOf(AdmittedRun execution, @Nullable WriteResult answer) {
        if (answer == null) {
            return completeUnasked(execution);
        }
        if (!(answer instanceof WriteResult.StoreError)) {
            return answered(execution, answer);
        }
        return execution.guard() == Guard.SHADOW ? Completion.UNGUARDED : null; // a shadow is only watching
    }

    private Completion answered(AdmittedRun execution, WriteResult answer) {
        if (execution.guard() == Guard.SHADOW) {
            return Completion.UNGUARDED;
        }
        if (answer.isApplied()) {
            successes.answered(execution);
            notifier.report(listener -> listener.completed(keyOf(execution), execution.handlerTime()));
            return Completion.DONE;
        }
        PendingCompletion byReplacement = successes.refused(successes.remember(execution));
        if (byReplacement != null) { // a copy in this process holds the claim, and does not run
            background.complete(byReplacement);
            return Completion.PENDING;
        }
        execution.markLost();
        if (execution.reportLossOnce()) {
            notifier.report(listener -> listener.leaseLost(keyOf(execution)));
        }
        return Completion.LEASE_LOST;
    }

    /**
     * Whether to call the store now; if not, there is no claim, or calling a failing store would only block the thread.
     */
    private boolean isAsked(AdmittedRun execution) {
        return (execution.guard() == Guard.CLAIMED || execution.guard() == Guard.SHADOW)
                && !gates.keepsWritesOut(execution.topic());
    }

    private static DedupKey keyOf(AdmittedRun execution) {
        return requireNonNull(execution.claim()).key();
    }

    private static CompleteRequest request(AdmittedRun execution, boolean repeated) {
        return new CompleteRequest(
                requireNonNull(execution.claim()),
                execution.topic().policy().window(),
                execution.stored(execution.keptResult()),
                repeated);
    }
}
