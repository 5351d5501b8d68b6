package io.dedup.testservers.redis;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits until a running server has noticed a change. A server that doesn't answer hasn't noticed it yet. */
final class Await {

    private static final Logger log = LoggerFactory.getLogger(Await.class);
    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private Await() {}

    static void until(String what, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!holds(condition)) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new IllegalStateException("not within " + LIMIT.toSeconds() + " s: " + what);
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (UncheckedIOException e) { // a server closes its connections when it becomes a replica
            log.debug("no answer: {}", e.toString());
            return false;
        }
    }
}
