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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        Map<Integer, DedupOutcome<@Nullable Void>> copies = new HashMap<>();
        int next = 0;
        for (int i = 0; i < keys.size(); i++) {
            Admission admission = admissions.get(i);
            if (admission instanceof Admission.Run && deferredBy != null) {
                DedupOutcome<@Nullable Void> deferred = new DedupOutcome.Deferred<>(
                        DeferReason.LEASE_LOST, policies.apply(keys.get(i)).maxDeferDelay(), deferredBy);
                copies.put(i, deferred);
                answers.add(deferred);
            } else if (admission instanceof Admission.Run) {
                copies.put(i, new DedupOutcome.Duplicate<@Nullable Void>(Instant.now(), null));
                answers.add(new DedupOutcome.Handled<@Nullable Void>(null, completions.get(next++)));
            } else if (admission instanceof Admission.Follow follow) {
                answers.add(copies.get(follow.leader()));
            } else {
                answers.add(outcomes.notRun(admission, DedupCall.of(keys.get(i))));
            }
        }
        return answers;
    }
}
