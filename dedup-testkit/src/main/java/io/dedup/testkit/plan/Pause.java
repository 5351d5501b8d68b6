package io.dedup.testkit.plan;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A plan's own pace: when faults come and how long they last. */
final class Pause {
    private static final Duration SHORT = Duration.ofMillis(50);

    private Pause() {}

    /** Between two looks. */
    static void shortly() {
        of(SHORT);
    }

    /** @throws IllegalStateException when the thread is interrupted, as a test's time-out does */
    static void of(Duration time) {
        try {
            TimeUnit.NANOSECONDS.sleep(time.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("the fault plan was interrupted", e);
        }
    }
}
