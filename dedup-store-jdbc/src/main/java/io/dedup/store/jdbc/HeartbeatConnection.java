package io.dedup.store.jdbc;

import io.dedup.store.jdbc.OwnConnections.Borrowed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connection that renewals have to themselves, kept once it was borrowed: a pool that is exhausted by handlers must
 * not cost them their leases. One caller at a time.
 */
final class HeartbeatConnection {
    private static final int VALIDATION_SECONDS = 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final OwnConnections connections;
    private @Nullable Borrowed kept;

    HeartbeatConnection(OwnConnections connections) {
        this.connections = connections;
    }

    /** What is done with the connection. */
    interface Work<A> {
        A on(Connection connection);
    }

    /**
     * Runs the work, once more on a new connection when one that was kept turns out to be dead: of old age, most likely.
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
            if (!doubtful.test(answer) || old.connection().isValid(VALIDATION_SECONDS)) {
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
        return work.on(fresh.connection());
    }

    private void drop() {
        if (kept != null) {
            kept.close();
            kept = null;
        }
    }

    void close() {
        lock.lock();
        try {
            drop();
        } finally {
            lock.unlock();
        }
    }
}
