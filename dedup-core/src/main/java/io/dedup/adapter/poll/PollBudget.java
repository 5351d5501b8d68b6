package io.dedup.adapter.poll;

import io.dedup.adapter.WaitBudget;
import java.time.Duration;

/**
 * Limits how long a consumer's thread may wait: at most a quarter of the longest time between two polls, after which the broker
 * counts the consumer as dead, within each such time. So waiting takes at most half of the time between two polls. A listener may not
 * see where a poll begins, so the budget counts time rather than polls. Not thread-safe.
 */
public final class PollBudget {
    /** The part of the longest time between two polls that may pass in waiting. */
    public static final int SHARE = 4;

    private final long intervalNanos;
    private final long full;
    private WaitBudget budget;
    private long firstUse;

    /**
     * Creates the budget of a consumer.
     *
     * @param maxPollInterval the longest time between two polls, such as Kafka's {@code max.poll.interval.ms}
     */
    public PollBudget(Duration maxPollInterval) {
        this.intervalNanos = maxPollInterval.toNanos();
        this.full = intervalNanos / SHARE;
        this.budget = fresh();
    }

    /** Returns what is left of the budget, for the consumer's thread. */
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
