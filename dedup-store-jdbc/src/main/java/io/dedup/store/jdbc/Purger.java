package io.dedup.store.jdbc;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Purges now and then in a thread of its own. Several processes may: they skip each other's rows. */
final class Purger implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Purger.class);

    /** In one go, so that a purger that is far behind doesn't keep a connection for hours. */
    private static final int MOST_AT_ONCE = 1_000_000;

    private final ScheduledExecutorService executor;
    private final ScheduledFuture<?> runs;
    private final TableName table;
    private final IntUnaryOperator purge;

    /** @param purge removes at most so many expired records, and tells how many it did */
    Purger(TableName table, Duration interval, IntUnaryOperator purge) {
        this.table = table;
        this.purge = purge;
        this.executor = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "dedup-purge-" + table);
            thread.setDaemon(true);
            return thread;
        });
        runs = executor.scheduleWithFixedDelay(
                this::run, interval.toMillis(), interval.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void run() {
        try {
            int removed = purge.applyAsInt(MOST_AT_ONCE);
            LOG.debug("Purged {} expired records of table {}", removed, table);
        } catch (RuntimeException | Error e) { // the next run may fare better; a throw would end them all
            LOG.warn("Purging table {} failed; expired records stay until the next attempt", table, e);
        }
    }

    @Override
    public void close() {
        runs.cancel(true);
        executor.shutdownNow();
    }
}
