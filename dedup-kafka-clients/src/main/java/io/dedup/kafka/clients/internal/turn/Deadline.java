package io.dedup.kafka.clients.internal.turn;

import java.time.Duration;

/** When to stop handing out records of a poll, so that the next poll comes in time. */
public final class Deadline {
    private final long until;

    private Deadline(long until) {
        this.until = until;
    }

    public static Deadline in(Duration time) {
        return new Deadline(System.nanoTime() + time.toNanos());
    }

    /** Whether no further record may get its turn: the time is over, or the thread is interrupted. */
    boolean isOver() {
        return System.nanoTime() - until >= 0 || Thread.currentThread().isInterrupted();
    }
}
