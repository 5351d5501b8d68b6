package io.dedup.kafka.internal;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs things later, and logs what they throw, Errors included. Thread-safe. */
public final class Timer implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final int THREADS = 2; // a store that hangs in a probe must not keep partitions paused

    private final ScheduledThreadPoolExecutor executor;

    public Timer() {
        executor = new ScheduledThreadPoolExecutor(THREADS, work -> {
            Thread thread = new Thread(work, "dedup-kafka-timer");
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRemoveOnCancelPolicy(true);
    }

    /** Never throws. False when the task may never run: this is closed, or there is no memory or no thread to be had. */
    public boolean after(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> ignored = executor.schedule(() -> logged(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException | Error e) {
            log.debug("Not scheduled", e);
            return false;
        }
    }

    /**
     * Runs a task again and again until {@link #close}, or until what this returns is cancelled. A run that throws, even an
     * Error, is logged and followed by the next one; repeating takes no memory.
     *
     * @throws RejectedExecutionException when this is closed
     */
    public ScheduledFuture<?> every(Duration period, Runnable task) {
        return executor.scheduleWithFixedDelay(
                () -> logged(task), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Whether nothing runs any more. */
    public boolean isClosed() {
        return executor.isShutdown();
    }

    private static void logged(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // the executor would keep it to itself, and end what is to be repeated
            logFailure(e);
        }
    }

    private static void logFailure(Throwable failure) {
        try {
            log.error("A timer of KafkaDedup failed", failure);
        } catch (Throwable ignored) {
            // Out of memory, for example. The next run matters more than this line.
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
