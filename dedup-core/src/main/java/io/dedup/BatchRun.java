package io.dedup;

import io.dedup.BatchDedupHandler.Item;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Admission;
import io.dedup.engine.DedupEngine;
import io.dedup.engine.Execution;
import io.dedup.engine.RunEnd;
import io.dedup.engine.TransactionalRun;
import io.dedup.engine.WaitBudget;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a batch handler with the new items of a batch, and what became of each item. */
record BatchRun<T>(DedupEngine engine, Outcomes outcomes, Function<DedupKey, DedupPolicy> policies, WaitBudget budget) {

    <X extends Throwable> List<DedupOutcome<@Nullable Void>> run(
            List<T> items, List<DedupKey> keys, List<Admission> admissions, BatchDedupHandler<T, X> handler) throws X {
        List<Execution> executions = executions(admissions);
        if (executions.isEmpty()) {
            return outcomes(keys, admissions, List.of(), null);
        }
        if (executions.stream().anyMatch(Execution::isTransactional)) {
            return runInTransaction(items, keys, admissions, handler);
        }
        Throwable deferredBy = null;
        List<Completion> completions = List.of();
        try {
            handler.handle(begun(items, admissions));
        } catch (Throwable e) { // Errors, too: claims that nobody releases hold their messages for a lease
            if (!engine.failAll(executions, e)) {
                throw e;
            }
            deferredBy = e;
        }
        if (deferredBy == null) {
            completions = engine.succeedAll(executions, budget);
        }
        return outcomes(keys, admissions, completions, deferred(deferredBy));
    }

    private static @Nullable LostTogether deferred(@Nullable Throwable cause) {
        return cause == null ? null : new LostTogether(DeferReason.LEASE_LOST, cause);
    }

    /** Why all items that ran come again. */
    private record LostTogether(
            DeferReason reason, @Nullable Throwable cause) {}

    @SuppressWarnings("unchecked") // what the handler throws is an X, or unchecked
    private <X extends Throwable> List<DedupOutcome<@Nullable Void>> runInTransaction(
            List<T> items, List<DedupKey> keys, List<Admission> admissions, BatchDedupHandler<T, X> handler) throws X {
        requireOneMode(keys, admissions);
        TransactionalRun run = engine.open(executions(admissions), false, budget);
        List<Admission> decided = new ArrayList<>(admissions);
        int next = 0;
        for (int i = 0; i < decided.size(); i++) {
            if (decided.get(i) instanceof Admission.Run) {
                decided.set(i, run.admissions().get(next++));
            }
        }
        List<Execution> executions = run.executions();
        if (executions.isEmpty()) {
            return outcomes(keys, decided, List.of(), null);
        }
        RunEnd end;
        try {
            handler.handle(begun(items, decided));
            end = null;
        } catch (Throwable e) { // Errors, too: nobody else would end the transaction
            end = run.fail(e);
        }
        end = end == null ? run.succeed(null) : end;
        if (end instanceof RunEnd.Failed failed) {
            throw (X) failed.cause();
        }
        if (end instanceof RunEnd.NotRun notRun && notRun.admission() instanceof Admission.Defer defer) {
            return outcomes(keys, decided, List.of(), new LostTogether(defer.reason(), defer.cause()));
        }
        List<Completion> completions = new ArrayList<>(executions.size());
        executions.forEach(execution -> completions.add(execution.guarded() ? Completion.DONE : Completion.UNGUARDED));
        return outcomes(keys, decided, Collections.unmodifiableList(completions), null);
    }

    private void requireOneMode(List<DedupKey> keys, List<Admission> admissions) {
        DedupMode first = null;
        for (int i = 0; i < keys.size(); i++) {
            DedupMode mode = policies.apply(keys.get(i)).mode();
            if (first != null && mode != first) {
                executions(admissions).forEach(Execution::giveBack);
                throw new IllegalArgumentException("the items of a batch are of topics with modes " + first + " and "
                        + mode + ": one transaction can't be both. Give them one mode, or call executeAll for each");
            }
            first = mode;
        }
    }

    private List<Item<T>> begun(List<T> items, List<Admission> admissions) {
        List<Item<T>> fresh = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            if (admissions.get(i) instanceof Admission.Run run) {
                fresh.add(new Item<>(items.get(i), run.execution()));
                run.execution().begin();
            }
        }
        return List.copyOf(fresh);
    }

    private static List<Execution> executions(List<Admission> admissions) {
        List<Execution> executions = new ArrayList<>(admissions.size());
        for (Admission admission : admissions) {
            if (admission instanceof Admission.Run run) {
                executions.add(run.execution());
            }
        }
        return executions;
    }

    @SuppressWarnings("NullAway") // it takes the null of type @Nullable Void for one of a type that isn't nullable
    private List<DedupOutcome<@Nullable Void>> outcomes(
            List<DedupKey> keys,
            List<Admission> admissions,
            List<Completion> completions,
            @Nullable LostTogether together) {
        List<DedupOutcome<@Nullable Void>> answers = new ArrayList<>(keys.size());
        int next = 0;
        for (int i = 0; i < keys.size(); i++) {
            Admission admission = admissions.get(i);
            if (admission instanceof Admission.Run && together != null) {
                answers.add(new DedupOutcome.Deferred<>(
                        together.reason(), policies.apply(keys.get(i)).maxDeferDelay(), together.cause()));
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
