package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.Window;
import io.dedup.engine.Execution.Guard;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.CompleteRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A success that the store couldn't be told of in time.
 *
 * @param rest of the window of the record behind it; null where the window begins with the completion
 * @param unanswered the claim that got no answer before the run; null when the run had its claim
 * @param success by which copies in this process are recognised meanwhile; null where the record behind the store does that
 */
record LateCompletion(
        CompleteRequest request,
        @Nullable Rest rest,
        @Nullable ClaimRequest unanswered,
        Duration handlerTime,
        @Nullable KnownSuccess success) {

    static LateCompletion of(Execution execution, CompleteRequest request, @Nullable Rest rest) {
        ClaimRequest unanswered = execution.guard() == Guard.STORE_DOWN ? requireNonNull(execution.request()) : null;
        return new LateCompletion(
                request, rest, unanswered, execution.handlerTime(), rest == null ? execution.success() : null);
    }

    /** Whether the store is the only one to know. */
    boolean isOwn() {
        return rest == null;
    }

    Claim claim() {
        return request.claim();
    }

    int resultBytes() {
        byte[] result = request.result();
        return result == null ? 0 : result.length;
    }

    LateCompletion withoutResult() {
        return new LateCompletion(request.withoutResult(), rest, unanswered, handlerTime, success);
    }

    /** What the store is told at a time by {@link System#nanoTime()}; null when the window is over by then. */
    @Nullable
    CompleteRequest requestAt(long now) {
        if (rest == null) {
            return request;
        }
        Window left = rest.left(now);
        return left == null ? null : new CompleteRequest(request.claim(), left, request.result(), request.repeated());
    }

    /** The completion of a claim that was made only now. */
    CompleteRequest requestAfter(Acquired acquired) {
        Claim made = new Claim(claim().key(), claim().owner(), acquired.attempt());
        return new CompleteRequest(made, request.window(), request.result(), false);
    }
}
