package io.dedup.internal.direct;

import io.dedup.DedupCall;
import io.dedup.DedupHandler;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupPolicy;
import org.jspecify.annotations.Nullable;

/**
 * One call of a caller's handler outside a transaction, settled when the handler returns. Call and settlement are one
 * object, because every message needs it.
 */
final class LeasedCall<R extends @Nullable Object, X extends Throwable>
        implements HandlerCall<R>, Settlement<R, DedupOutcome<R>> {
    private final DedupCall<R> request;
    private final DedupHandler<R, X> handler;
    private final Outcomes outcomes;
    private final DedupPolicy policy;
    private final Execution execution;
    private final WaitBudget budget;
    /** The exception for the caller; null if there is an outcome. */
    private @Nullable Throwable thrown;

    LeasedCall(
            DedupCall<R> request,
            DedupHandler<R, X> handler,
            Outcomes outcomes,
            DedupPolicy policy,
            Execution execution,
            WaitBudget budget) {
        this.request = request;
        this.handler = handler;
        this.outcomes = outcomes;
        this.policy = policy;
        this.execution = execution;
        this.budget = budget;
    }

    @SuppressWarnings("unchecked") // what the handler throws is an X, or unchecked
    DedupOutcome<R> run() throws X {
        DedupOutcome<R> outcome = HandlerRun.run(execution, this, this);
        if (thrown != null) {
            throw (X) thrown;
        }
        return outcome;
    }

    @Override
    public R call() throws Throwable {
        return handler.handle(execution);
    }

    @Override
    public DedupOutcome<R> succeeded(R value) {
        Completion completion = execution.succeed(outcomes.encode(request, policy.maxResultBytes(), value), budget);
        return new DedupOutcome.Handled<>(value, completion);
    }

    @Override
    public DedupOutcome<R> failed(Throwable failure) {
        boolean deferral = HandlerRun.isDeferral(execution.fail(failure), failure);
        thrown = deferral ? null : failure;
        return new DedupOutcome.Deferred<>(DeferReason.LEASE_LOST, policy.maxDeferDelay(), failure);
    }
}
