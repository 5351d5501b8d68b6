package io.dedup.kafka.internal;

import io.dedup.adapter.WaitBudget;
import java.time.Duration;

/**
 * Limits how long a consumer's thread may wait in place: at most a quarter of {@code max.poll.interval.ms} within each
 * such interval, so that waiting takes at most half of the time between two polls. A record listener doesn't see where
 * a poll begins, so the budget counts time rather than polls. Not thread-safe.
 */
public final class PollBudget {
    public static final int SHARE = 4;

    private final long intervalNanos;
    private final long full;
    private WaitBudget budget;
    private long firstUse;

    public PollBudget(Duration maxPollInterval) {
        this.intervalNanos = maxPollInterval.toNanos();
        this.full = intervalNanos / SHARE;
        this.budget = fresh();
    }

    public WaitBudget current() {
        long now = System.nanoTime();
        if (budget.nanosLeft() == full) {
            firstUse = now;
        } else if (now - firstUse > intervalNanos) {
            budget = fresh();
            firstUse = now;
        }
        return budget;
    }

    /** Returns a new budget of the same size, for another thread. */
    public WaitBudget fresh() {
        return WaitBudget.of(Duration.ofNanos(full));
    }
}
