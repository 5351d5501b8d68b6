package io.dedup.testservers;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock that stops while the machine stands still, for stores in this process: a host that takes the processors away
 * for a second or two would otherwise end leases that a test relies on before they could be renewed. As good as the system's
 * while the machine runs, a tick apart. Thread-safe; one for the JVM.
 */
public final class PauselessClock implements InstantSource {
    private static final Duration TICK = Duration.ofMillis(10);

    /** Longer than a thread waits for a processor on a busy machine, shorter than any lease. */
    private static final Duration LONGEST_STEP = Duration.ofMillis(100);

    private static final PauselessClock INSTANCE = new PauselessClock();

    private volatile Instant now = Instant.now(); // written by the ticker only

    private PauselessClock() {
        Thread ticker = new Thread(this::tick, "pauseless-clock");
        ticker.setDaemon(true);
        ticker.start();
    }

    /** The one clock. */
    public static PauselessClock get() {
        return INSTANCE;
    }

    private void tick() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(TICK.toNanos());
            long next = System.nanoTime();
            long step = Math.min(next - last, LONGEST_STEP.toNanos());
            now = now.plusNanos(step);
            last = next;
        }
    }

    @Override
    public Instant instant() {
        return now;
    }
}
