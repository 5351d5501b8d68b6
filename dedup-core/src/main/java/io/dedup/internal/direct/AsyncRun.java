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
        CompletableFuture<DedupOutcome<R>> end = new CompletableFuture<>();
        try {
            CompletionStage<R> unused = work.whenComplete((value, thrown) -> {
                Throwable error = thrown == null ? HandlerRun.stopped(execution) : thrown;
                if (error == null) {
                    returned(value);
                }
                // A store call on the thread that completes the stage could block an event loop.
                settlements.execute(() -> settle(value, error, end));
            });
        } catch (Throwable e) {
            execution.abandon(); // the work continues, and this cannot wait for it
            return CompletableFuture.failedStage(e);
        }
        return end;
    }

    /** The threads that settle may wait for the store for longer than the lease, and a copy must not run meanwhile. */
    private void returned(R value) {
        byte[] result = outcomes.encode(call, policy.maxResultBytes(), value);
        if (result != null) {
            execution.keepResult(result);
        }
        execution.returned();
    }

    private void settle(R value, @Nullable Throwable error, CompletableFuture<DedupOutcome<R>> end) {
        try {
            end.complete(settled(value, error));
        } catch (Throwable e) {
            end.completeExceptionally(e instanceof CompletionException ? e : new CompletionException(e));
        }
    }

    @Override
    public CompletionStage<DedupOutcome<R>> failed(Throwable thrown) {
        return HandlerRun.isDeferral(execution.fail(thrown), thrown)
                ? CompletableFuture.completedStage(leaseLost(thrown))
                : CompletableFuture.failedStage(thrown);
    }

    private DedupOutcome<R> settled(R value, @Nullable Throwable error) {
        if (error == null) {
            Completion completion = execution.succeed(null, WaitBudget.of(policy.inFlightWait())); // what it has kept
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
