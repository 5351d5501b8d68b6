package io.dedup;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Execution;
import io.dedup.engine.WaitBudget;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A run that ends with a stage: closed out, on the executor, when that one ends. */
record AsyncRun<R extends @Nullable Object>(
        DedupCall<R> call, DedupPolicy policy, Execution execution, Outcomes outcomes, Supplier<WaitBudget> budget) {

    CompletionStage<DedupOutcome<R>> start(AsyncDedupHandler<R> handler, Executor executor) {
        CompletionStage<R> work;
        try {
            execution.begin();
            work = handler.handle(execution);
            if (work == null) {
                throw new IllegalStateException("the handler of " + call.key() + " returned no stage");
            }
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            return execution.fail(e)
                    ? CompletableFuture.completedStage(leaseLost(e))
                    : CompletableFuture.failedStage(e);
        }
        try {
            // A store call on the thread that completes the stage could block an event loop.
            CompletionStage<DedupOutcome<R>> end = work.handleAsync(this::closeOut, executor);
            // Not the close-out itself: completing or cancelling that one would leave the claim to nobody.
            return end.thenApply(Function.identity());
        } catch (Throwable e) {
            execution.abandon(); // the work goes on, and can't be waited for
            return CompletableFuture.failedStage(e);
        }
    }

    private DedupOutcome<R> closeOut(R value, @Nullable Throwable error) {
        if (error == null) {
            Completion completion =
                    execution.succeed(outcomes.encode(call, policy.maxResultBytes(), value), budget.get());
            return new DedupOutcome.Handled<>(value, completion);
        }
        Throwable cause = causeOf(error);
        if (cause instanceof CancellationException || cause instanceof TimeoutException) {
            execution.abandon(); // the work may go on: releasing would let a second one start beside it
        } else if (execution.fail(cause)) {
            return leaseLost(cause);
        }
        throw error instanceof CompletionException wrapped ? wrapped : new CompletionException(error);
    }

    private DedupOutcome<R> leaseLost(Throwable cause) {
        return new DedupOutcome.Deferred<>(DeferReason.LEASE_LOST, policy.maxDeferDelay(), cause);
    }

    /** What the work failed with: stages of stages wrap it. */
    private static Throwable causeOf(Throwable error) {
        Throwable cause = error;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }
}
