package io.dedup.failover.load;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The time that a handler takes before its effect. */
final class Work {
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

    private Work() {}

    /** Up to 6 ms. */
    static void take() {
        long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(MOST_NANOS);
        long left;
        while ((left = until - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
        }
    }
}
