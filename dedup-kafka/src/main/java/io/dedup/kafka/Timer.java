package io.dedup.kafka;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs things later, and logs what they throw. Thread-safe. */
final class Timer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);
    private static final int THREADS = 2; // a store that hangs in a probe must not keep partitions paused

    private final ScheduledThreadPoolExecutor executor;

    Timer() {
        executor = new ScheduledThreadPoolExecutor(THREADS, work -> {
            Thread thread = new Thread(work, "dedup-kafka-timer");
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** False when it will never run, because this is closed. */
    boolean after(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> ignored = executor.schedule(() -> logged(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            log.debug("Closed already", e);
            return false;
        }
    }

    private static void logged(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            log.error("A timer of KafkaDedup failed", e);
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
