package io.dedup.store.jdbc.internal.dialect;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Runs work at READ COMMITTED, whatever the pool's connections are set to: at a higher level a purge locks the gaps around
 * its rows (MySQL, MariaDB) or fails when a claim was faster (PostgreSQL).
 *
 * <p>Thread-safe. Connections of one pool are taken to be set alike: where the first one is at READ COMMITTED already, the
 * others aren't asked, which may cost a round trip.
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
