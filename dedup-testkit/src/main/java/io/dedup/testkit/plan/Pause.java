package io.dedup.testkit.plan;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Waits of a plan. */
final class Pause {
    private static final Duration SHORT = Duration.ofMillis(50);

    private Pause() {}

    /** Waits between two checks. */
    static void shortly() {
        of(SHORT);
    }

    /** @throws IllegalStateException when the thread is interrupted, as a test's timeout does */
    static void of(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("The fault plan was interrupted", e);
        }
    }
}
