package io.dedup.internal.engine;

import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.thread.EngineThreads;
import io.dedup.internal.transaction.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes engines. When several are closed together, all stop accepting messages first and are waited for afterwards, so
 * that their waits overlap: each waits at most its own timeout, and all together no longer than the longest one.
 * Thread-safe.
 */
final class Shutdown {
    private static final Logger log = LoggerFactory.getLogger(Shutdown.class);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final String store;
    private final Transactions transactions;
    private final Heartbeat heartbeat;
    private final BackgroundWrites background;
    private final EngineThreads threads;
    private final Duration timeout;
    private final AtomicBoolean hasThreads = new AtomicBoolean(true);
    private volatile boolean begun;

    /**
     * Creates the shutdown of one engine.
     *
     * @param timeout how long to wait for running handlers
     */
    Shutdown(
            String store,
            Transactions transactions,
            Heartbeat heartbeat,
            BackgroundWrites background,
            EngineThreads threads,
            Duration timeout) {
        this.store = store;
        this.transactions = transactions;
        this.heartbeat = heartbeat;
        this.background = background;
        this.threads = threads;
        this.timeout = timeout;
    }

    boolean hasBegun() {
        return begun;
    }

    /** The number of claims held and transactions open. */
    public int inFlight() {
        return heartbeat.size() + transactions.size();
    }

    public static void all(List<Shutdown> together) {
        together.forEach(Shutdown::begin);
        long from = System.nanoTime();
        together.forEach(each -> each.awaitHandlers(from)); // all leases are renewed until the last wait ends
        together.forEach(each -> each.heartbeat.close());
        together.forEach(each -> each.background.beginToClose());
        long written = System.nanoTime();
        together.forEach(each -> each.background.close(written));
        together.forEach(Shutdown::endThreads);
    }

    private void endThreads() {
        if (hasThreads.getAndSet(false)) { // a second close must not end those of others
            threads.end();
        }
    }

    private void begin() {
        begun = true;
        transactions.close();
    }

    private void awaitHandlers(long from) {
        while (!(heartbeat.isIdle() && transactions.size() == 0)
                && from + timeout.toNanos() - System.nanoTime() > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        int left = inFlight();
        if (left > 0) {
            log.warn(
                    "Closing the deduplicator of store {} with {} messages in flight: their handlers have not finished"
                            + " within shutdownTimeout ({} ms), or have not acknowledged them. Their leases are no longer"
                            + " renewed",
                    store,
                    left,
                    timeout.toMillis());
        }
    }
}
