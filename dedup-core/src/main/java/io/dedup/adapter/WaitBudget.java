package io.dedup.adapter;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Limits how long a consumer's thread may wait: for a copy in flight, or for a store that does not answer a completion.
 * Use one for each poll, well below the time after which the broker considers the consumer dead. Not thread-safe.
 */
public final class WaitBudget {
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private long nanosLeft;
    private @Nullable Runnable beforeWaiting;

    private WaitBudget(long nanos) {
        this.nanosLeft = nanos;
    }

    /** Creates a budget of this length; zero or less never waits. */
    public static WaitBudget of(Duration total) {
        return new WaitBudget(total.compareTo(LONGEST) > 0 ? Long.MAX_VALUE : total.isNegative() ? 0 : total.toNanos());
    }

    /** Creates a budget that never waits. */
    public static WaitBudget none() {
        return new WaitBudget(0);
    }

    /**
     * Sets an action that runs once, before the next wait for a message in flight; null for none. A thread that waits
     * must not hold claims that others wait for: two processes could each hold the claim that the other needs.
     */
    public void beforeWaiting(@Nullable Runnable action) {
        beforeWaiting = action;
    }

    /** Runs the action of {@link #beforeWaiting}, because a wait for a message in flight begins. */
    public void waiting() {
        Runnable action = beforeWaiting;
        beforeWaiting = null;
        if (action != null) {
            action.run();
        }
    }

    /** Returns the remaining time in nanoseconds; never negative. */
    public long nanosLeft() {
        return nanosLeft;
    }

    /** Subtracts time from the budget, down to zero. */
    public void spend(long nanos) {
        nanosLeft = Math.max(0, nanosLeft - Math.max(0, nanos));
    }
}
