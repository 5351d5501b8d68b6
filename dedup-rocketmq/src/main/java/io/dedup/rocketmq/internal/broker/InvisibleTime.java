package io.dedup.rocketmq.internal.broker;

import java.time.Duration;

/** Since when the broker has hidden a message from other consumers, as far as this process knows. Thread-safe. */
public final class InvisibleTime {
    private volatile long renewedAt = System.nanoTime();
    private volatile boolean lost;

    InvisibleTime() {}

    /** Whether the message still belongs to this loop, and its last renewal is this long ago. */
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

    /** The broker has refused the renewal: it redelivers the message to another consumer, or to this one. */
    public void lost() {
        lost = true;
    }
}
