package io.dedup.spring.boot.internal.call;

import org.jspecify.annotations.Nullable;

/** How a call ended that wasn't deferred, and didn't fail. */
public sealed interface CallResult {
    /** It ran. */
    record Returned(@Nullable Object value) implements CallResult {}

    /** It didn't run: an earlier call with its ID has taken effect, or the policy ignores its message. */
    record NotRun() implements CallResult {}
}
