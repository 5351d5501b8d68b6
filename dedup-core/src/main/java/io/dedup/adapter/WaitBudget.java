package io.dedup.adapter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a consumer's thread may still be held by waiting in place: for a running copy, or for a store that doesn't
 * take a completion. One for each poll, well below the time after which the broker takes the consumer for dead. Not
 * thread-safe.
 */
public final class WaitBudget {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private long nanosLeft;
    private @Nullable Runnable beforeWaiting;

    private WaitBudget(long nanos) {
        this.nanosLeft = nanos;
    }

    /** A budget of this length; zero or less never waits. */
    public static WaitBudget of(Duration total) {
        return new WaitBudget(total.compareTo(LONGEST) > 0 ? Long.MAX_VALUE : total.isNegative() ? 0 : total.toNanos());
    }

    /** A budget that never waits. */
    public static WaitBudget none() {
        return new WaitBudget(0);
    }

    /**
     * Runs this before the next wait for a message that is in flight; once, and never when null. Whoever waits mustn't hold claims
     * that others wait for: two processes could each hold what the other one waits for.
     */
    public void beforeWaiting(@Nullable Runnable action) {
        beforeWaiting = action;
    }

    /** A wait for a message that is in flight begins: runs what {@link #beforeWaiting} was given. */
    public void waiting() {
        Runnable action = beforeWaiting;
        beforeWaiting = null;
        if (action != null) {
            action.run();
        }
    }

    /** What is left, in nanoseconds; never negative. */
    public long nanosLeft() {
        return nanosLeft;
    }

    /** Takes time off; what isn't there can't be taken. */
    public void spend(long nanos) {
        nanosLeft = Math.max(0, nanosLeft - Math.max(0, nanos));
    }
}
