package io.dedup.kafka;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that tell the store how work has ended that ended on a thread which mustn't be blocked. */
final class CloseOuts implements Executor, AutoCloseable {
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor pool;

    CloseOuts() {
        pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                work -> {
                    Thread thread = new Thread(work, "dedup-kafka-close-out");
                    thread.setDaemon(true);
                    return thread;
                },
                // After the end, on whatever thread ends the work: better than a success that isn't recorded.
                (task, closed) -> task.run());
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable closeOut) {
        pool.execute(closeOut);
    }

    /** What is waiting is still done. */
    @Override
    public void close() {
        pool.shutdown();
    }
}
