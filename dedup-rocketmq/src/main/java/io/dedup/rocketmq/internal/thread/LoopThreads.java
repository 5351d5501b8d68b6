package io.dedup.rocketmq.internal.thread;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of one loop, all daemons. Tasks that are submitted after {@link #end} are dropped. Thread-safe. */
public final class LoopThreads {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.rocketmq.SimpleConsumerLoop");
    private static final AtomicInteger LOOPS = new AtomicInteger();

    private final ThreadFactory factory;
    private final ExecutorService handlers;
    private final ScheduledExecutorService timers;
    private final ScheduledExecutorService renewal; // has its own thread, as the timers may wait for the store

    /** Creates the threads of a loop that runs this many handlers at the same time. */
    public LoopThreads(int concurrency) {
        this.factory = factory("dedup-rocketmq-" + LOOPS.incrementAndGet() + "-");
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                concurrency, concurrency, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        pool.prestartAllCoreThreads(); // fails here if a thread cannot be started
        this.handlers = pool;
        this.timers = Executors.newScheduledThreadPool(2, factory);
        this.renewal = Executors.newSingleThreadScheduledExecutor(factory);
    }

    private static ThreadFactory factory(String prefix) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, prefix + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }

    /** Runs a handler as soon as a handler thread is free. */
    public void handle(Runnable handler) {
        try {
            handlers.execute(handler);
        } catch (RejectedExecutionException e) {
            log.debug("Handler not started: the loop has ended and no message is open", e);
        }
    }

    /** Runs a task after the delay. The task must catch its own exceptions. */
    public void later(Runnable task, Duration delay) {
        try {
            var unused = timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("Task not started: the loop has ended", e);
        }
    }

    /** Repeats a task, with this pause between two runs, whatever it throws. It may wait for the store. */
    public void every(Duration pause, Runnable task) {
        repeat(timers, pause, task);
    }

    /** Repeats the renewal likewise; it must not wait. */
    public void renewEvery(Duration pause, Runnable task) {
        repeat(renewal, pause, task);
    }

    private static void repeat(ScheduledExecutorService executor, Duration pause, Runnable task) {
        Runnable each = () -> {
            try {
                task.run();
            } catch (Throwable e) { // which it couldn't log; an executor never calls again what throws
                return;
            }
        };
        var unused = executor.scheduleWithFixedDelay(each, pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Creates a thread for this task alone, without starting it. */
    public Thread newThread(Runnable task) {
        return factory.newThread(task);
    }

    /** Ends idle threads; running tasks continue. May be called more than once. */
    public void end() {
        handlers.shutdown();
        timers.shutdownNow();
        renewal.shutdownNow();
    }
}
