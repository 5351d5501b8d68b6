package io.dedup.rocketmq.internal.broker;

import java.time.Duration;

/** Since when the broker hides a message from other consumers, as far as this process knows. Thread-safe. */
public final class InvisibleTime {
    private volatile long renewedAt = System.nanoTime();
    private volatile boolean lost;

    InvisibleTime() {}

    /** Whether the message is still ours, and the last renewal this long ago. */
    public boolean isDue(long now, Duration interval) {
        return !lost && now - renewedAt >= interval.toNanos();
    }

    /** A renewal was requested. */
    public void requested(long now) {
        renewedAt = now;
    }

    /** The renewal that was requested at this time failed: the next one is due at once. */
    public void failed(long requestedAt, Duration invisible) {
        renewedAt = requestedAt - invisible.toNanos();
    }

    /** The broker has refused the renewal: it gives the message to another consumer, or to this one again. */
    public void lost() {
        lost = true;
    }
}
