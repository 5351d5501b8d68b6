package io.dedup.http.internal.reactive;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import io.dedup.http.internal.Answer;
import io.dedup.http.internal.HttpRun;
import io.dedup.http.internal.StoredResponse;
import io.dedup.step.LeaseLostException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.web.ErrorResponse;

/** Settles a run when its handler and its response have ended, unless the response has settled it already. */
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
            var unused = work.whenCompleteAsync(
                    (nothing, error) -> end(error, end), run.path().settlements());
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
        try {
            if (error == null) {
                response.settle();
                end.complete(Optional.ofNullable(response.unanswered()));
                return;
            }
            if (response.isStreamComplete()) {
                response.settle();
            }
            if (response.continuesWithoutClient()) {
                end.completeExceptionally(error);
                return;
            }
            Answer answer = response.beginSettling() ? settle(error) : null;
            if (answer == null) {
                end.completeExceptionally(error);
            } else {
                end.complete(Optional.of(answer));
            }
        } catch (Throwable e) {
            end.completeExceptionally(e);
        }
    }

    /** The answer if the claim was lost; null if the exception is to be handled by the framework. */
    private @Nullable Answer settle(Throwable thrown) {
        if (thrown instanceof ErrorResponse error
                && error.getStatusCode().is4xxClientError()
                && !response.isCommitted()) { // else its status isn't the client's
            LeaseLostException stopped = run.ended(
                    new StoredResponse(error.getStatusCode().value(), true, false, null, null, Map.of(), new byte[0]));
            return stopped == null ? null : leaseLost();
        }
        return HandlerRun.isDeferral(run.failed(thrown), thrown) ? leaseLost() : null;
    }

    private @Nullable Answer leaseLost() {
        return response.isCommitted() ? null : run.leaseLost();
    }
}
