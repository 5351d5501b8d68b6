package io.dedup.testservers.redis;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting for what a running server has to find out. */
final class Await {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private Await() {}

    static void until(String what, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new IllegalStateException("not within " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
        }
    }
}
