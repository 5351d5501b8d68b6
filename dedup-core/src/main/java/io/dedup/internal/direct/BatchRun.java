package io.dedup.internal.direct;

import io.dedup.BatchDedupHandler;
import io.dedup.BatchDedupHandler.Item;
import io.dedup.DedupCall;
import io.dedup.DedupKey;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.TransactionalRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One call of a batch handler with the new items of a batch, and the outcome of each item. */
record BatchRun<T>(
        DedupAdapter engine, Outcomes outcomes, Function<DedupKey, DedupPolicy> policies, WaitBudget budget) {

    /**
     * How the handler's call ended.
     *
     * @param completions of the items that ran, in order; empty if they are deferred
     * @param thrown the exception for the caller; null for none
     * @param deferredFor why all items that ran are deferred; null if they are not
     * @param deferredBy the exception that caused the deferral; null for none
     */
    private record End(
            List<Completion> completions,
            @Nullable Throwable thrown,
            @Nullable DeferReason deferredFor,
            @Nullable Throwable deferredBy) {
        static End completed(List<Completion> completions) {
            return new End(completions, null, null, null);
        }

        static End failed(Throwable thrown) {
            return new End(List.of(), thrown, null, null);
        }

        static End deferred(DeferReason reason, @Nullable Throwable by) {
            return new End(List.of(), null, reason, by);
        }
    }

    @SuppressWarnings("unchecked") // what the handler throws is an X, or unchecked
    <X extends Throwable> List<DedupOutcome<@Nullable Void>> run(
            List<T> items, List<DedupKey> keys, List<Admission> admissions, BatchDedupHandler<T, X> handler) throws X {
        List<Execution> executions = Admission.executions(admissions);
        if (executions.stream().anyMatch(Execution::isTransactional)) {
            return runInTransaction(items, keys, admissions, handler);
        }
        End end = executions.isEmpty()
                ? End.completed(List.of())
                : HandlerRun.runAll(executions, call(items, admissions, handler), new AtReturn(executions));
        if (end.thrown() != null) {
            throw (X) end.thrown();
        }
        return outcomes(keys, admissions, end);
    }

    /** Completes or releases all claims at the handler's return. */
    private final class AtReturn implements Settlement<byte @Nullable [], End> {
        private final List<Execution> executions;

        AtReturn(List<Execution> executions) {
            this.executions = executions;
        }

        @Override
        public End succeeded(byte @Nullable [] result) {
            return End.completed(engine.succeedAll(executions, budget));
        }

        @Override
        public End failed(Throwable thrown) {
            return HandlerRun.isDeferral(engine.failAll(executions, thrown), thrown)
                    ? End.deferred(DeferReason.LEASE_LOST, thrown)
                    : End.failed(thrown);
        }
    }

    @SuppressWarnings("unchecked") // as above
    private <X extends Throwable> List<DedupOutcome<@Nullable Void>> runInTransaction(
            List<T> items, List<DedupKey> keys, List<Admission> admissions, BatchDedupHandler<T, X> handler) throws X {
        requireOneMode(keys, admissions);
        List<Admission> decided = new ArrayList<>(admissions);
        HandlerCall<byte @Nullable []> call = call(items, decided, handler);
        // From here to the handler nothing is created: what an OutOfMemoryError left open would stay open.
        TransactionalRun run = engine.open(Admission.executions(admissions), false, budget);
        int next = 0;
        for (int i = 0; i < decided.size(); i++) {
            if (decided.get(i) instanceof Admission.Run) {
                decided.set(i, run.admissions().get(next++));
            }
        }
        End end = run.executions().isEmpty()
                ? End.completed(List.of())
                : end(run.executions(), HandlerRun.runAll(run.executions(), call, run));
        if (end.thrown() != null) {
            throw (X) end.thrown();
        }
        return outcomes(keys, decided, end);
    }

    private static End end(List<Execution> executions, RunEnd end) {
        if (end instanceof RunEnd.Failed failed) {
            return End.failed(failed.cause());
        }
        if (end instanceof RunEnd.NotHandled notHandled && notHandled.admission() instanceof Admission.Defer defer) {
            return End.deferred(defer.reason(), defer.cause());
        }
        List<Completion> completions = new ArrayList<>(executions.size());
        executions.forEach(execution -> completions.add(execution.guarded() ? Completion.DONE : Completion.UNGUARDED));
        return End.completed(completions);
    }

    private void requireOneMode(List<DedupKey> keys, List<Admission> admissions) {
        DedupMode first = null;
        for (int i = 0; i < keys.size(); i++) {
            DedupMode mode = policies.apply(keys.get(i)).mode();
            if (first != null && mode != first) {
                Admission.executions(admissions).forEach(Execution::giveBack);
                throw new IllegalArgumentException("the topics of this batch have modes " + first + " and " + mode
                        + ", which cannot share a transaction. Use one mode, or call executeAll for each mode");
            }
            first = mode;
        }
    }

    private static <T> HandlerCall<byte @Nullable []> call(
            List<T> items, List<Admission> admissions, BatchDedupHandler<T, ?> handler) {
        return () -> {
            handler.handle(fresh(items, admissions));
            return null;
        };
    }

    private static <T> List<Item<T>> fresh(List<T> items, List<Admission> admissions) {
        List<Item<T>> fresh = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            if (admissions.get(i) instanceof Admission.Run run) {
                fresh.add(new Item<>(items.get(i), run.execution()));
            }
        }
        return List.copyOf(fresh);
    }

    @SuppressWarnings("NullAway") // it takes the null of type @Nullable Void for one of a type that isn't nullable
    private List<DedupOutcome<@Nullable Void>> outcomes(List<DedupKey> keys, List<Admission> admissions, End end) {
        List<DedupOutcome<@Nullable Void>> answers = new ArrayList<>(keys.size());
        int next = 0;
        for (int i = 0; i < keys.size(); i++) {
            Admission admission = admissions.get(i);
            if (admission instanceof Admission.Run && end.deferredFor() != null) {
                answers.add(new DedupOutcome.Deferred<>(
                        end.deferredFor(), policies.apply(keys.get(i)).maxDeferDelay(), end.deferredBy()));
            } else if (admission instanceof Admission.Run) {
                answers.add(new DedupOutcome.Handled<@Nullable Void>(
                        null, end.completions().get(next++)));
            } else if (admission instanceof Admission.Follow follow) {
                answers.add(ofCopy(answers.get(follow.leader())));
            } else {
                answers.add(outcomes.notRun(admission, DedupCall.of(keys.get(i))));
            }
        }
        return answers;
    }

    /** A copy has the outcome of its leader, except that it was not handled itself. */
    @SuppressWarnings("NullAway") // as above
    private static DedupOutcome<@Nullable Void> ofCopy(DedupOutcome<@Nullable Void> leader) {
        return leader instanceof DedupOutcome.Handled
                ? new DedupOutcome.Duplicate<@Nullable Void>(Instant.now(), null)
                : leader;
    }
}
