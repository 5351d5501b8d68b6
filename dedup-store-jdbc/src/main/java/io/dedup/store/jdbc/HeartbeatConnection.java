package io.dedup.store.jdbc;

import io.dedup.store.jdbc.OwnConnections.Borrowed;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection that renewals have to themselves, kept once it was borrowed: a pool that is exhausted by handlers must
 * not cost them their leases. One caller at a time.
 */
final class HeartbeatConnection {
    private static final Logger LOG = LoggerFactory.getLogger(HeartbeatConnection.class);
    private static final int VALIDATION_SECONDS = 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final OwnConnections connections;
    private @Nullable Borrowed kept;
    /** Whether the last answer left a doubt about the connection. */
    private boolean doubted;

    HeartbeatConnection(OwnConnections connections) {
        this.connections = connections;
    }

    /** What is done with the connection. */
    interface Work<A> {
        A on(Connection connection);
    }

    /**
     * Runs the work, once more on a new connection when one that was kept turns out to be dead, of old age most likely; or
     * when it fails the second time in a row: a server that became read-only at a switch-over keeps its sessions, and the
     * pool can't end one that is never given back. (Not the first time: while the pool is exhausted, a new one takes long.)
     *
     * @param doubtful tells whether an answer leaves a doubt about the connection
     */
    <A> A run(Work<A> work, Predicate<A> doubtful) throws SQLException {
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
        kept = fresh;
        doubted = false;
        return work.on(fresh.connection());
    }

    /** Ends the session, and has the pool notice, by a statement that fails: else it would lend the connection again. */
    private void drop() {
        Borrowed old = kept;
        kept = null;
        if (old == null) {
            return;
        }
        try (old) {
            old.connection().abort(Runnable::run);
            try (Statement statement = old.connection().createStatement()) {
                statement.execute("SELECT 1");
            }
        } catch (SQLException e) {
            LOG.debug("The heartbeat's connection has been ended", e);
        }
    }

    private void giveBack() {
        if (kept != null) {
            kept.close();
            kept = null;
        }
    }

    void close() {
        lock.lock();
        try {
            giveBack();
        } finally {
            lock.unlock();
        }
    }
}
