package io.dedup;

import io.dedup.DedupOutcome.Completion;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.engine.Execution;
import io.dedup.engine.WaitBudget;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A run that ends with a stage: closed out, on the executor, when that one ends. */
record AsyncRun<R extends @Nullable Object>(
        DedupCall<R> call, DedupPolicy policy, Execution execution, Outcomes outcomes, Supplier<WaitBudget> budget) {

    CompletionStage<DedupOutcome<R>> start(AsyncDedupHandler<R> handler, Executor executor) throws Exception {
        execution.begin();
        CompletionStage<R> work;
        try {
            work = handler.handle(execution);
            if (work == null) {
                throw new IllegalStateException("the handler of " + call.key() + " returned no stage");
            }
        } catch (Throwable e) { // Errors, too: a claim that nobody releases holds the message for its lease
            execution.fail(e);
            throw e;
        }
        // A store call on the thread that completes the stage could block an event loop.
        return work.handleAsync(this::closeOut, executor);
    }

    private DedupOutcome<R> closeOut(R value, @Nullable Throwable error) {
        if (error == null) {
            Completion completion =
                    execution.succeed(outcomes.encode(call, policy.maxResultBytes(), value), budget.get());
            return new DedupOutcome.Handled<>(value, completion);
        }
        Throwable cause = error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
        if (cause instanceof CancellationException || cause instanceof TimeoutException) {
            execution.abandon(); // the work may go on: releasing would let a second one start beside it
        } else if (execution.fail(cause)) {
            return new DedupOutcome.Deferred<>(DeferReason.LEASE_LOST, policy.maxDeferDelay(), cause);
        }
        throw error instanceof CompletionException wrapped ? wrapped : new CompletionException(error);
    }
}
