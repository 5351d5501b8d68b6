package io.dedup.kafka.internal;

import io.dedup.adapter.WaitBudget;
import java.time.Duration;

/**
 * How long a consumer's thread may wait in place: at most a quarter of {@code max.poll.interval.ms} in each such
 * interval, so that at most half of one goes by between two polls, wherever in it they fall. A record listener doesn't
 * learn when a poll begins; counting time instead of polls needs no such knowledge. Not thread-safe.
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

    /** One of the same size for somebody else. */
    public WaitBudget fresh() {
        return WaitBudget.of(Duration.ofNanos(full));
    }
}
