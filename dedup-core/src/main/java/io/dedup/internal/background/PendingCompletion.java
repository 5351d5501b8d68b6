package io.dedup.internal.background;

import static java.util.Objects.requireNonNull;

import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
import io.dedup.internal.run.RemainingWindow;
import io.dedup.internal.run.UnrecordedSuccess;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.CompleteRequest;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A success that the store has not recorded yet.
 *
 * @param rest of the window, which has begun with the database record behind the store, or with the end of the handler
 * @param unanswered the claim that got no answer before the run; null if the run had its claim
 * @param success recognizes copies in this process meanwhile; null if the record behind the store does that
 */
public record PendingCompletion(
        CompleteRequest request,
        RemainingWindow rest,
        @Nullable ClaimRequest unanswered,
        Duration handlerTime,
        @Nullable UnrecordedSuccess success) {

    /** @param rest of the window of the database record; null if there is none, and the success is remembered */
    public static PendingCompletion of(AdmittedRun execution, CompleteRequest request, @Nullable RemainingWindow rest) {
        ClaimRequest unanswered = execution.guard() == Guard.STORE_DOWN ? requireNonNull(execution.request()) : null;
        UnrecordedSuccess success = rest == null ? requireNonNull(execution.success()) : null;
        return new PendingCompletion(
                request,
                success == null ? requireNonNull(rest) : success.window(),
                unanswered,
                execution.handlerTime(),
                success);
    }

    /** Creates the completion of a success by another claim of this process. */
    public static PendingCompletion of(UnrecordedSuccess success, Claim replacement) {
        return new PendingCompletion(
                success.completionBy(replacement), success.window(), null, success.handlerTime(), success);
    }

    /** Whether the store holds the only record, with no database behind it. */
    boolean isOwn() {
        return success != null;
    }

    public Claim claim() {
        return request.claim();
    }

    int resultBytes() {
        byte[] result = request.result();
        return result == null ? 0 : result.length;
    }

    public PendingCompletion withoutResult() {
        return new PendingCompletion(request.withoutResult(), rest, unanswered, handlerTime, success);
    }

    /**
     * The request to send at a time by {@link System#nanoTime()}; null if the window is over by then.
     *
     * @param acquired the claim, if it was made only now
     */
    @Nullable
    CompleteRequest requestAt(long now, @Nullable Acquired acquired) {
        // Without a database, a store that forgets a message earlier lets a redelivery run.
        Window left = isOwn() ? rest.left(now) : rest.leftInFront(now);
        if (left == null) {
            return null;
        }
        return acquired == null
                ? new CompleteRequest(claim(), left, request.result(), request.repeated())
                : new CompleteRequest(
                        new Claim(claim().key(), claim().owner(), acquired.attempt()), left, request.result(), false);
    }
}
