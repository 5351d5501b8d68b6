package io.dedup.internal.background;

import static java.util.Objects.requireNonNull;

import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.run.AdmittedRun.Guard;
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
 * @param rest of the window of the database record behind the store; null if the window starts with the completion
 * @param unanswered the claim that got no answer before the run; null if the run had its claim
 * @param success recognizes copies in this process meanwhile; null if the record behind the store does that
 */
public record PendingCompletion(
        CompleteRequest request,
        @Nullable RemainingWindow rest,
        @Nullable ClaimRequest unanswered,
        Duration handlerTime,
        @Nullable UnrecordedSuccess success) {

    public static PendingCompletion of(AdmittedRun execution, CompleteRequest request, @Nullable RemainingWindow rest) {
        ClaimRequest unanswered = execution.guard() == Guard.STORE_DOWN ? requireNonNull(execution.request()) : null;
        return new PendingCompletion(
                request, rest, unanswered, execution.handlerTime(), rest == null ? execution.success() : null);
    }

    /** Creates the completion of a success by another claim of this process. */
    public static PendingCompletion of(UnrecordedSuccess success, Claim replacement) {
        return new PendingCompletion(success.completionBy(replacement), null, null, success.handlerTime(), success);
    }

    /** Whether the store holds the only record, with no database behind it. */
    boolean isOwn() {
        return rest == null;
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

    /** The request to send at a time by {@link System#nanoTime()}; null if the window is over by then. */
    @Nullable
    CompleteRequest requestAt(long now) {
        if (rest == null) {
            return request;
        }
        Window left = rest.left(now);
        return left == null ? null : new CompleteRequest(request.claim(), left, request.result(), request.repeated());
    }

    /** The completion of a claim that has just been made. */
    CompleteRequest requestAfter(Acquired acquired) {
        Claim made = new Claim(claim().key(), claim().owner(), acquired.attempt());
        return new CompleteRequest(made, request.window(), request.result(), false);
    }
}
