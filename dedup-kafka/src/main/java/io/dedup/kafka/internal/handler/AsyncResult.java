package io.dedup.kafka.internal.handler;

import io.dedup.kafka.internal.failure.FailedWork;
import io.dedup.text.Causes;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.adapter.AdapterUtils;
import reactor.core.publisher.Mono;

/** The return value of a handler method whose work may end later. */
public final class AsyncResult {
    private AsyncResult() {}

    /** Returns the future behind a result; null if the result isn't one. Subscribes to a {@code Mono}. */
    static @Nullable Future<?> of(@Nullable Object result) {
        if (result instanceof CompletionStage<?> stage) { // a minimal stage is a CompletableFuture whose get() throws
            CompletableFuture<Object> done = new CompletableFuture<>();
            stage.whenComplete((value, failure) -> {
                if (failure == null) {
                    done.complete(value);
                } else {
                    done.completeExceptionally(failure);
                }
            });
            return done;
        }
        if (result instanceof Future<?> future) {
            return future;
        }
        return result != null && AdapterUtils.isMono(result.getClass()) ? Reactor.subscribed(result) : null;
    }

    /** A separate class, because Reactor may be absent. */
    private static final class Reactor {
        static CompletableFuture<?> subscribed(Object mono) {
            return ((Mono<?>) mono).toFuture();
        }
    }

    /** An interrupt doesn't end the work, so it doesn't end the wait. */
    static @Nullable Object awaited(Future<?> future) throws Exception {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (CancellationException e) {
                    throw FailedWork.outcomeUnknown(e);
                } catch (ExecutionException e) {
                    Throwable failure = failure(e);
                    if (failure instanceof Error error) {
                        throw error;
                    }
                    throw failure instanceof Exception exception ? exception : e;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The failure itself, marked if the work may still be running. */
    public static Throwable failure(Throwable thrown) {
        Throwable failure = Causes.unwrapped(thrown);
        return failure instanceof TimeoutException || failure instanceof CancellationException
                ? FailedWork.outcomeUnknown((Exception) failure)
                : failure;
    }
}
