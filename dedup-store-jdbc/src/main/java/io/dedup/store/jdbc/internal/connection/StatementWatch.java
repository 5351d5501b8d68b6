package io.dedup.store.jdbc.internal.connection;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cancels statements that take too long, as {@link Statement#setQueryTimeout} does. Drivers schedule a timer for each statement
 * that has such a timeout, and wake up its thread twice, which costs about as much as sending the statement. Here a thread looks
 * at all running statements, ten times a second. It ends when there have been none for some seconds, and starts again with the
 * next one.
 *
 * <p>Thread-safe.
 */
public final class StatementWatch {
    private static final Logger log = LoggerFactory.getLogger(StatementWatch.class);
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int IDLE_PERIODS = 50;

    private final Set<Watched> running = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean active = new AtomicBoolean();
    private final long timeoutNanos;
    private final int idlePeriods;

    /** @param timeout how long a statement may take; it is cancelled at most about a tenth of a second later */
    public StatementWatch(Duration timeout) {
        this(timeout, IDLE_PERIODS);
    }

    /** @param idlePeriods after how many looks that found no statement the thread ends */
    StatementWatch(Duration timeout, int idlePeriods) {
        this.timeoutNanos = timeout.toNanos();
        this.idlePeriods = idlePeriods;
    }

    /** Whether the thread is there. */
    boolean isActive() {
        return active.get();
    }

    /** Watches a statement from now on, until the result is closed. */
    public Watched begin(PreparedStatement statement) {
        Watched watched = new Watched(statement, System.nanoTime());
        running.add(watched);
        if (!active.get() && active.compareAndSet(false, true)) {
            Thread thread = new Thread(null, this::watch, "dedup-statement-watch", 0, false);
            thread.setDaemon(true);
            thread.start();
        }
        return watched;
    }

    private void watch() {
        int idle = 0;
        while (idle < idlePeriods || !mayEnd()) {
            LockSupport.parkNanos(PERIOD_NANOS);
            idle = isIdle() ? idle + 1 : 0;
            long now = System.nanoTime();
            for (Watched watched : running) {
                watched.cancelIfLate(now);
            }
        }
    }

    /** Whether this thread may end: unless a statement began meanwhile, which no other thread watches. */
    private boolean mayEnd() {
        active.set(false);
        return isIdle() || !active.compareAndSet(false, true);
    }

    /** The set's own count may miss a statement while others begin and end. */
    private boolean isIdle() {
        return !running.iterator().hasNext();
    }

    /** A statement that is running. */
    public final class Watched implements AutoCloseable {
        private final ReentrantLock lock = new ReentrantLock();
        private final PreparedStatement statement;
        private final long start;
        private boolean over;

        private Watched(PreparedStatement statement, long start) {
            this.statement = statement;
            this.start = start;
        }

        private void cancelIfLate(long now) {
            if (now - start < timeoutNanos) {
                return;
            }
            lock.lock();
            try {
                if (!over) {
                    over = true;
                    statement.cancel();
                }
            } catch (SQLException | RuntimeException e) {
                log.debug("A statement couldn't be cancelled", e); // the connection's own timeout ends it
            } finally {
                lock.unlock();
            }
        }

        /** Ends the watch. Waits for a cancellation that has begun, so that it doesn't meet the connection's next statement. */
        @Override
        public void close() {
            running.remove(this);
            lock.lock();
            try {
                over = true;
            } finally {
                lock.unlock();
            }
        }
    }
}
