package io.dedup.examples.shop;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Prints the progress of an example. Not thread-safe. */
public final class Progress {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final Counts counts;
    private final long startedAt = System.nanoTime();
    private long lastProgress;

    public Progress(Counts counts) {
        this.counts = counts;
    }

    /** Prints a line. */
    public void say(String line) {
        System.out.printf(Locale.ROOT, "[%5.1f s] %s%n", (System.nanoTime() - startedAt) / 1e9, line);
    }

    /**
     * Waits, and prints what was counted each second.
     *
     * @throws IllegalStateException when nothing is counted for three minutes, or one of the consumers dies
     */
    public void await(String what, BooleanSupplier condition, ConsumerProcess... running) {
        String before = counts.toString();
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            String now = counts.toString();
            if (!now.equals(before)) { // a busy machine may take its time
                before = now;
                until = System.nanoTime() + PATIENCE.toNanos();
            }
            for (ConsumerProcess consumer : running) {
                if (!consumer.isAlive()) {
                    throw new IllegalStateException(consumer.name() + " has died");
                }
            }
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("waited in vain for " + what + ": " + counts);
            }
            if (System.nanoTime() - lastProgress > Duration.ofSeconds(1).toNanos()) {
                lastProgress = System.nanoTime();
                say("  " + counts);
            }
            LockSupport.parkNanos(Duration.ofMillis(50).toNanos());
        }
    }
}
