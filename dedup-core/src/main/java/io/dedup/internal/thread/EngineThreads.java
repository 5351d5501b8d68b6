package io.dedup.internal.thread;

import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread that looks whether there is work, and as many as there is work for at a time: an idle engine costs no thread of its
 * own, and a call of the store that hangs keeps nobody else waiting. Thread-safe.
 */
public final class EngineThreads {
    private static final long IDLE_SECONDS = 10;

    private final ReentrantLock lock = new ReentrantLock();
    private int engines;
    private @Nullable ScheduledExecutorService looks;
    private @Nullable ThreadPoolExecutor workers;

    /**
     * One more engine uses them. They start with the first one.
     *
     * @param storeName in the names of the threads, if this is the first one
     */
    public void begin(String storeName) {
        lock.lock();
        try {
            if (engines == 0) {
                looks = Executors.newSingleThreadScheduledExecutor(work -> daemon(work, "dedup-timer-" + storeName));
                workers = new ThreadPoolExecutor(
                        0,
                        Integer.MAX_VALUE,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new SynchronousQueue<>(),
                        work -> daemon(work, "dedup-background-" + storeName));
            }
            engines++;
        } finally {
            lock.unlock();
        }
    }

    private static Thread daemon(Runnable work, String name) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Does work again and again, from now on until it is cancelled.
     *
     * @param isNeeded asked each time a period has passed and the work isn't under way; must not block
     * @param onLooks whether the thread that looks does the work itself if no other thread can be had, for lack of memory
     * @throws IllegalStateException if no engine has begun to use these
     */
    public RepeatedWork every(long periodNanos, BooleanSupplier isNeeded, Runnable work, boolean onLooks) {
        lock.lock();
        try {
            if (looks == null || workers == null) {
                throw new IllegalStateException("no engine uses these threads");
            }
            Executor others = workers;
            RepeatedWork repeated = new RepeatedWork(others, isNeeded, work, onLooks);
            repeated.beginLooks(looks, periodNanos);
            return repeated;
        } finally {
            lock.unlock();
        }
    }

    /** One engine less uses them. They end with the last one. */
    public void end() {
        lock.lock();
        try {
            engines--;
            if (engines == 0 && looks != null && workers != null) {
                looks.shutdownNow();
                workers.shutdown();
            }
        } finally {
            lock.unlock();
        }
    }
}
