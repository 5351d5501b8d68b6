package io.dedup.spring.boot;

import io.dedup.DedupException;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The call of a {@link Deduplicated} method has to be repeated later: the same ID is in flight elsewhere, the store doesn't answer, or
 * the effect was rolled back for a reason outside the method. A message listener that passes it on has its message delivered again.
 *
 * <p>This isn't a failure of the method, but the broker counts it as a delivery attempt.
 */
public final class CallDeferredException extends DedupException {
    private static final long serialVersionUID = 1L;

    private final DeferReason reason;
    private final Duration retryAfter;

    /**
     * Creates a deferral.
     *
     * @param call names the method and its topic
     * @param retryAfter the delay before the next call
     * @param cause the store's error or the method's exception; null if there is none
     */
    public CallDeferredException(String call, DeferReason reason, Duration retryAfter, @Nullable Throwable cause) {
        super(
                "Deferred a call in " + call + " for " + retryAfter.toMillis() + " ms: " + reason
                        + ". Its effect hasn't happened: call again, or let the broker deliver the message again",
                cause);
        this.reason = reason;
        this.retryAfter = retryAfter;
    }

    /** Returns why the call is deferred. */
    public DeferReason reason() {
        return reason;
    }

    /** Returns the suggested delay before the next call. */
    public Duration retryAfter() {
        return retryAfter;
    }
}
