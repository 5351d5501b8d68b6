package io.dedup.adapter.poll;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Runs tasks later and logs whatever they throw, Errors included. Thread-safe. */
public final class PollTimer implements AutoCloseable {
    private static final int THREADS = 2; // one task that hangs in a call of the store must not keep the others waiting

    private final ScheduledThreadPoolExecutor executor;
    private final Logger log;

    /**
     * Creates a timer, whose threads start with its first tasks.
     *
     * @param threads their name
     */
    public PollTimer(String threads, Logger log) {
        this.log = log;
        executor = new ScheduledThreadPoolExecutor(THREADS, work -> {
            Thread thread = new Thread(work, threads);
            thread.setDaemon(true);
            return thread;
        });
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        executor.setRemoveOnCancelPolicy(true);
    }

    /**
     * Schedules a task. Never throws. Returns false when the task may never run, because the timer is closed, or no
     * memory or thread is available.
     */
    public boolean after(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> ignored = executor.schedule(() -> logged(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException | Error e) {
            log.debug("Cannot schedule a task", e);
            return false;
        }
    }

    /**
     * Repeats a task until {@link #close}, or until the returned future is cancelled. Whatever a run throws, Errors
     * included, is logged, and the next run follows. Repeating allocates nothing.
     *
     * @throws RejectedExecutionException when the timer is closed
     */
    public ScheduledFuture<?> every(Duration period, Runnable task) {
        return executor.scheduleWithFixedDelay(
                () -> logged(task), period.toNanos(), period.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Returns whether the timer is closed, so that nothing runs any more. */
    public boolean isClosed() {
        return executor.isShutdown();
    }

    private void logged(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) { // the executor would swallow it and end the repetition
            logFailure(e);
        }
    }

    private void logFailure(Throwable failure) {
        try {
            log.error("A background task failed", failure);
        } catch (Throwable ignored) {
            // Out of memory, for example. The next run matters more than this line.
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
