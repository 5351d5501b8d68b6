package io.dedup.kafka.internal;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Threads that tell the store how work has ended that ended on a thread which mustn't be blocked. */
public final class CompletionThreads implements Executor, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);
    private static final int THREADS = 4;
    private static final long IDLE_SECONDS = 10;

    private final ThreadPoolExecutor pool;

    public CompletionThreads() {
        this(work -> {
            Thread thread = new Thread(work, "dedup-kafka-close-out");
            thread.setDaemon(true);
            return thread;
        });
    }

    public CompletionThreads(ThreadFactory threads) {
        pool = new ThreadPoolExecutor(
                THREADS,
                THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                threads,
                // After the end, on whatever thread ends the work: better than a success that isn't recorded.
                (task, closed) -> task.run());
        pool.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable closeOut) {
        try {
            pool.execute(closeOut);
        } catch (Error e) { // no memory or no thread to be had: the partition would wait for this end for ever
            closeOut.run();
            log.debug("Closed out by the thread that ended the work", e);
        }
    }

    /** What is waiting is still done. */
    @Override
    public void close() {
        pool.shutdown();
    }
}
