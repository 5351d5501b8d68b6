package io.dedup.http.internal.reactive;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.http.internal.Answer;
import io.dedup.http.internal.HttpRun;
import io.dedup.http.internal.StoredResponse;
import io.dedup.http.internal.ThrownStatus;
import io.dedup.step.LeaseLostException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatusCode;

/** Settles a run when all that is behind the filter has ended, and sends what is held then. */
final class ReactiveRun implements Settlement<CompletableFuture<Void>, CompletableFuture<Optional<Answer>>> {
    private final HttpRun run;
    private final CapturingServerResponse response;

    ReactiveRun(HttpRun run, CapturingServerResponse response) {
        this.run = run;
        this.response = response;
    }

    @Override
    public CompletableFuture<Optional<Answer>> succeeded(CompletableFuture<Void> work) {
        CompletableFuture<Optional<Answer>> end = new CompletableFuture<>();
        try {
            var unused = work.whenComplete((nothing, error) -> {
                try {
                    if (error == null) {
                        response.returned(); // the threads that settle may be busy for longer than the lease
                    }
                } finally {
                    run.path().settlements().execute(() -> end(error, end));
                }
            });
        } catch (Throwable e) { // the work continues, and this cannot wait for it
            run.abandoned();
            end.completeExceptionally(e);
        }
        return end;
    }

    @Override
    public CompletableFuture<Optional<Answer>> failed(Throwable thrown) {
        CompletableFuture<Optional<Answer>> end = new CompletableFuture<>();
        end(thrown, end);
        return end;
    }

    private void end(@Nullable Throwable error, CompletableFuture<Optional<Answer>> end) {
        Throwable failure = error;
        try {
            if (failure == null) {
                response.settle();
            }
        } catch (Throwable e) { // it isn't known whether it has succeeded
            failure = e;
        }
        try {
            if (failure == null) {
                var unused = response.send().whenComplete((nothing, unsent) -> {
                    if (unsent == null) {
                        end.complete(Optional.empty());
                    } else {
                        end.completeExceptionally(unsent);
                    }
                });
                return;
            }
            Answer answer = response.beginSettling() ? settle(failure) : null;
            response.drop(failure);
            if (answer == null) {
                end.completeExceptionally(failure);
            } else {
                end.complete(Optional.of(answer));
            }
        } catch (Throwable e) {
            end.completeExceptionally(e);
        }
    }

    /** The answer if the claim was lost; null if the exception is to be handled by the framework. */
    private @Nullable Answer settle(Throwable thrown) {
        HttpStatusCode status = ThrownStatus.of(thrown);
        if (status != null && status.is4xxClientError() && !response.isSent()) { // else its status isn't the client's
            LeaseLostException stopped =
                    run.ended(status.value(), () -> StoredResponse.ofStatus(status.value(), true, false));
            return stopped == null ? null : leaseLost();
        }
        return HandlerRun.isDeferral(run.failedLater(thrown), thrown) ? leaseLost() : null;
    }

    private @Nullable Answer leaseLost() {
        return response.isSent() ? null : run.leaseLost();
    }
}
