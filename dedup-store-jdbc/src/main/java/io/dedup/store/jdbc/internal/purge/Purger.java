package io.dedup.store.jdbc.internal.purge;

import io.dedup.store.jdbc.internal.dialect.Dialect.PurgeRun;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Purges at an interval in its own thread, at the pace of {@link PurgePace}, until nothing is left. Several processes
 * may do so at the same time: they skip each other's rows.
 */
public final class Purger implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Purger.class);

    /** How long closing waits for the current batch. */
    private static final long PATIENCE_MILLIS = 1_000;

    private final CountDownLatch closed = new CountDownLatch(1);
    private final TableName table;
    private final Duration interval;
    private final IntFunction<PurgeRun> batch;
    private final PurgePace pace;
    private final LongSupplier nanoClock;
    private final Thread thread;

    /**
     * Creates a purger.
     *
     * @param batch removes expired records after checking at most the given number
     */
    Purger(TableName table, Duration interval, IntFunction<PurgeRun> batch, PurgePace pace, LongSupplier nanoClock) {
        this.table = table;
        this.interval = interval;
        this.batch = batch;
        this.pace = pace;
        this.nanoClock = nanoClock;
        this.thread = new Thread(this::run, "dedup-purge-" + table);
        thread.setDaemon(true);
    }

    public static Purger start(TableName table, Duration interval, Purge purge) {
        Purger purger = new Purger(table, interval, purge::batch, new PurgePace(purge.batchSize()), System::nanoTime);
        purger.start();
        return purger;
    }

    public void start() {
        thread.start();
    }

    private void run() {
        try {
            while (!closedWithin(interval)) {
                try {
                    long removed = untilNothingIsLeft();
                    log.debug("Purged {} expired records of table {}", removed, table);
                } catch (RuntimeException | Error e) { // the next run may succeed; rethrowing would end all runs
                    if (isClosed()) {
                        log.debug("The purge of table {} ended with its store", table, e);
                    } else {
                        log.warn("Purging table {} failed; expired records stay until the next attempt", table, e);
                    }
                }
            }
        } catch (InterruptedException e) { // not by this class
            log.warn("The purge of table {} was interrupted; expired records stay", table, e);
        }
    }

    private long untilNothingIsLeft() throws InterruptedException {
        long removed = 0;
        Duration rest = Duration.ZERO;
        while (!closedWithin(rest)) {
            int size = pace.batch();
            long from = nanoClock.getAsLong();
            PurgeRun run = batch.apply(size);
            Duration took = Duration.ofNanos(nanoClock.getAsLong() - from);
            removed += run.removed();
            if (!run.more()) {
                break;
            }
            rest = pace.restAfter(Math.max(1, run.looked()), took);
        }
        return removed;
    }

    private boolean closedWithin(Duration time) throws InterruptedException {
        return closed.await(time.toNanos(), TimeUnit.NANOSECONDS);
    }

    boolean isClosed() {
        return closed.getCount() == 0;
    }

    /**
     * Starts no further batch, and waits a short time for the current one, so that the pool can be closed next. Does
     * not interrupt it: that would close an H2 file for all of its users.
     */
    @Override
    public void close() {
        closed.countDown();
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
