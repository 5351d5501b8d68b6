package io.dedup;

import io.dedup.BatchDedupHandler.Item;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Admission;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Execution;
import io.dedup.engine.WaitBudget;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a batch handler with the new items of a batch, and what became of each item. */
record BatchRun<T>(DedupEngine engine, Outcomes outcomes, Function<DedupKey, DedupPolicy> policies, WaitBudget budget) {

    <X extends Throwable> List<DedupOutcome<@Nullable Void>> run(
            List<T> items, List<DedupKey> keys, List<Admission> admissions, BatchDedupHandler<T, X> handler) throws X {
        List<Item<T>> fresh = new ArrayList<>();
        List<Execution> executions = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            if (admissions.get(i) instanceof Admission.Run run) {
                fresh.add(new Item<>(items.get(i), run.execution()));
                executions.add(run.execution());
                run.execution().begin();
            }
        }
        Throwable deferredBy = null;
        List<Completion> completions = List.of();
        if (!fresh.isEmpty()) {
            try {
                handler.handle(List.copyOf(fresh));
            } catch (Throwable e) { // Errors, too: claims that nobody releases hold their messages for a lease
                if (!engine.failAll(executions, e)) {
                    throw e;
                }
                deferredBy = e;
            }
            if (deferredBy == null) {
                completions = engine.succeedAll(executions, budget);
            }
        }
        return outcomes(keys, admissions, completions, deferredBy);
    }

    @SuppressWarnings("NullAway") // it takes the null of type @Nullable Void for one of a type that isn't nullable
    private List<DedupOutcome<@Nullable Void>> outcomes(
            List<DedupKey> keys,
            List<Admission> admissions,
            List<Completion> completions,
            @Nullable Throwable deferredBy) {
        List<DedupOutcome<@Nullable Void>> answers = new ArrayList<>(keys.size());
        int next = 0;
        for (int i = 0; i < keys.size(); i++) {
            Admission admission = admissions.get(i);
            if (admission instanceof Admission.Run && deferredBy != null) {
                answers.add(new DedupOutcome.Deferred<>(
                        DeferReason.LEASE_LOST, policies.apply(keys.get(i)).maxDeferDelay(), deferredBy));
            } else if (admission instanceof Admission.Run) {
                answers.add(new DedupOutcome.Handled<@Nullable Void>(null, completions.get(next++)));
            } else if (admission instanceof Admission.Follow follow) {
                answers.add(ofCopy(answers.get(follow.leader())));
            } else {
                answers.add(outcomes.notRun(admission, DedupCall.of(keys.get(i))));
            }
        }
        return answers;
    }

    /** A copy is what its leader is, but not handled for a second time. */
    @SuppressWarnings("NullAway") // as above
    private static DedupOutcome<@Nullable Void> ofCopy(DedupOutcome<@Nullable Void> leader) {
        return leader instanceof DedupOutcome.Handled
                ? new DedupOutcome.Duplicate<@Nullable Void>(Instant.now(), null)
                : leader;
    }
}
