package io.dedup.store.jdbc.internal.connection;

import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The connection of renewals. It is kept once it was borrowed, so that a pool that is exhausted by handlers doesn't cost them
 * their leases; but only where the pool is known to be large enough. One that is kept from a pool of one starves everybody
 * else, so from any other pool it is borrowed for each call. One caller at a time.
 */
public final class HeartbeatConnection {
    private static final int VALIDATION_SECONDS = 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final OwnConnections connections;
    private final boolean keep;
    private @Nullable Borrowed kept;
    /** Whether the last answer left a doubt about the connection. */
    private boolean doubted;

    /** @param keep whether the pool is large enough for one to be kept */
    public HeartbeatConnection(OwnConnections connections, boolean keep) {
        this.connections = connections;
        this.keep = keep;
    }

    /** What is done with the connection. */
    public interface Work<A> {
        A on(Connection connection);
    }

    /**
     * Runs the work, once more on a new connection when one that was kept turns out to be dead, of old age most likely; or
     * when it fails the second time in a row: a server that became read-only at a switch-over keeps its sessions, and the
     * pool can't end one that is never given back. (Not the first time: while the pool is exhausted, a new one takes long.)
     *
     * @param doubtful tells whether an answer leaves a doubt about the connection
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
