package io.dedup.internal.engine;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads that settle runs whose work ended on a thread which must not block. Thread-safe. */
final class SettlementThreads implements Executor, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SettlementThreads.class);
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor pool;

    SettlementThreads(String storeName) {
        this(work -> {
            Thread thread = new Thread(work, "dedup-close-out-" + storeName);
            thread.setDaemon(true);
            return thread;
        });
    }

    SettlementThreads(ThreadFactory threads) {
        pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads,
                // After closing, run on the thread that ends the work: better than not recording the success.
                (task, closed) -> task.run());
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable settlement) {
        try {
            pool.execute(settlement);
        } catch (Error e) { // no memory or no thread available: nobody else would settle this run
            settlement.run();
            log.debug("Settled by the thread that ended the work", e);
        }
    }

    /** Stops accepting tasks; those that are waiting still run. */
    @Override
    public void close() {
        pool.shutdown();
    }
}
