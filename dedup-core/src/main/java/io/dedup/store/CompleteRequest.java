package io.dedup.store;

import io.dedup.policy.Window;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests to mark a claimed message as done.
 *
 * @param window how long the record counts, from this completion by the store's clock
 * @param result what duplicates receive; null for nothing. Not copied, so do not change it
 * @param repeated whether this repeats a request that got no answer: then DONE by the same attempt counts as applied
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; copying would cost every message with a result
public record CompleteRequest(Claim claim, Window window, byte @Nullable [] result, boolean repeated) {
    // Not compact: javac would leave "@Nullable" of an array parameter out of the class file.
    public CompleteRequest(Claim claim, Window window, byte @Nullable [] result, boolean repeated) {
        this.claim = Objects.requireNonNull(claim, "claim");
        this.window = Objects.requireNonNull(window, "window");
        this.result = result;
        this.repeated = repeated;
    }

    /** Returns the same request without a result. */
    public CompleteRequest withoutResult() {
        return new CompleteRequest(claim, window, null, repeated);
    }
}
