package io.dedup.store.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Runs work at READ COMMITTED, whatever the isolation level of the pool's connections is: at a higher level, a purge
 * locks the gaps around its rows (MySQL, MariaDB), or fails if a claim was faster (PostgreSQL).
 *
 * <p>Thread-safe. Assumes that all connections of a pool have the same level: if the first one is at READ COMMITTED,
 * the others are not checked, which may save a round trip.
 */
public final class ReadCommitted {
    private volatile boolean already;

    /** A piece of work at that level. */
    public interface Work<A> {
        public A run() throws SQLException;
    }

    /** The connection is in autocommit mode; afterwards it is at the level that it had before. */
    public <A> A run(Connection connection, Work<A> work) throws SQLException {
        if (already) {
            return work.run();
        }
        int before = connection.getTransactionIsolation();
        if (before <= Connection.TRANSACTION_READ_COMMITTED) {
            already = true;
            return work.run();
        }
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try {
            return work.run();
        } finally {
            connection.setTransactionIsolation(before);
        }
    }
}
