package io.dedup.internal.direct;

import io.dedup.AsyncDedupHandler;
import io.dedup.DedupCall;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.WaitBudget;
import io.dedup.policy.DedupPolicy;
import io.dedup.text.Causes;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run that ends with a stage: when the stage completes, the executor settles it.
 *
 * @param settlements settles runs
 */
record AsyncRun<R extends @Nullable Object>(
        DedupCall<R> call, DedupPolicy policy, Execution execution, Outcomes outcomes, Executor settlements)
        implements Settlement<CompletionStage<R>, CompletionStage<DedupOutcome<R>>> {

    CompletionStage<DedupOutcome<R>> start(AsyncDedupHandler<R> handler) {
        return HandlerRun.run(execution, () -> stageOf(handler), this);
    }

    private CompletionStage<R> stageOf(AsyncDedupHandler<R> handler) throws Exception {
        CompletionStage<R> work = handler.handle(execution);
        if (work == null) {
            throw new IllegalStateException(
                    "the handler of message ID " + call.key() + " returned null instead of a CompletionStage");
        }
        return work;
    }

    /** The work has started; the run is settled when its stage completes. */
    @Override
    public CompletionStage<DedupOutcome<R>> succeeded(CompletionStage<R> work) {
        try {
            // A store call on the thread that completes the stage could block an event loop.
            CompletionStage<DedupOutcome<R>> end = work.handleAsync(this::settle, settlements);
            CompletionStage<R> unused = work.whenComplete(this::mark);
            // Not the settlement stage itself: if the caller completed or cancelled it, nobody would settle the claim.
            return end.thenApply(Function.identity());
        } catch (Throwable e) {
            execution.abandon(); // the work continues, and this cannot wait for it
            return CompletableFuture.failedStage(e);
        }
    }

    @Override
    public CompletionStage<DedupOutcome<R>> failed(Throwable thrown) {
        return HandlerRun.isDeferral(execution.fail(thrown), thrown)
                ? CompletableFuture.completedStage(leaseLost(thrown))
                : CompletableFuture.failedStage(thrown);
    }

    /** The threads that settle may wait for the store for longer than the lease, and a copy must not run meanwhile. */
    private void mark(R value, @Nullable Throwable thrown) {
        if (thrown == null && HandlerRun.stopped(execution) == null) {
            execution.returned();
        }
    }

    private DedupOutcome<R> settle(R value, @Nullable Throwable thrown) {
        Throwable error = thrown == null ? HandlerRun.stopped(execution) : thrown;
        if (error == null) {
            Completion completion = execution.succeed(
                    outcomes.encode(call, policy.maxResultBytes(), value), WaitBudget.of(policy.inFlightWait()));
            return new DedupOutcome.Handled<>(value, completion);
        }
        Throwable cause = Causes.unwrapped(error);
        if (cause instanceof CancellationException || cause instanceof TimeoutException) {
            execution.abandon(); // the work may continue: releasing would let a second run start beside it
        } else if (HandlerRun.isDeferral(execution.fail(cause), cause)) {
            return leaseLost(cause);
        }
        throw error instanceof CompletionException wrapped ? wrapped : new CompletionException(error);
    }

    private DedupOutcome<R> leaseLost(Throwable cause) {
        return new DedupOutcome.Deferred<>(DeferReason.LEASE_LOST, policy.maxDeferDelay(), cause);
    }
}
