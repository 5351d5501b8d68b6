package io.dedup.store.jdbc.internal.connection;

import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connection for renewals. Once borrowed, it is kept, so that a pool exhausted by handlers does not cost them their
 * leases; but only if the pool is known to be large enough. Keeping the only connection of a pool would block everyone
 * else, so with any other pool it is borrowed for each call. Used by one caller at a time.
 */
public final class HeartbeatConnection {
    private static final int VALIDATION_SECONDS = 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final OwnConnections connections;
    private final boolean keep;
    private @Nullable Borrowed kept;
    /** Whether the last answer left a doubt about the connection. */
    private boolean doubted;

    /**
     * Creates the connection.
     *
     * @param keep whether the pool is large enough to keep a connection
     */
    public HeartbeatConnection(OwnConnections connections, boolean keep) {
        this.connections = connections;
        this.keep = keep;
    }

    /** Work on the connection. */
    public interface Work<A> {
        A on(Connection connection);
    }

    /**
     * Runs the work. Repeats it on a new connection if a kept one turns out to be dead, usually because of its age; or
     * if the work fails for the second time in a row: a server that became read-only at a switch-over keeps its
     * sessions, and the pool cannot close a connection that is never returned. (Not after the first failure, because a
     * new connection takes long while the pool is exhausted.)
     *
     * @param doubtful whether a result casts doubt on the connection
     */
    public <A> A run(Work<A> work, Predicate<A> doubtful) throws SQLException {
        lock.lock();
        try {
            Borrowed old = kept;
            if (old == null) {
                return onNew(work);
            }
            A answer = work.on(old.connection());
            boolean twice = doubted;
            doubted = doubtful.test(answer);
            if (!doubted || (!twice && old.connection().isValid(VALIDATION_SECONDS))) {
                return answer;
            }
            drop();
            return onNew(work);
        } finally {
            lock.unlock();
        }
    }

    private <A> A onNew(Work<A> work) throws SQLException {
        Borrowed fresh = connections.open();
        if (!keep) {
            try (fresh) {
                return work.on(fresh.connection());
            }
        }
        kept = fresh;
        doubted = false;
        return work.on(fresh.connection());
    }

    private void drop() {
        Borrowed old = kept;
        kept = null;
        if (old != null) {
            try (old) {
                OwnConnections.end(old.connection());
            }
        }
    }

    private void giveBack() {
        if (kept != null) {
            kept.close();
            kept = null;
        }
    }

    public void close() {
        lock.lock();
        try {
            giveBack();
        } finally {
            lock.unlock();
        }
    }
}
