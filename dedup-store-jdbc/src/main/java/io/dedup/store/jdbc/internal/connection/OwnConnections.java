package io.dedup.store.jdbc.internal.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Borrows connections straight from the {@link DataSource}, past any transaction of the caller's thread, and lends them
 * out in autocommit mode and with a limit on how long the network may keep silent. Both are put back afterwards.
 *
 * <p>Neither costs a round trip, apart from autocommit on MySQL and MariaDB, from pools that have it off.
 */
public final class OwnConnections {
    private static final Logger LOG = LoggerFactory.getLogger(OwnConnections.class);

    private final DataSource dataSource;
    private final int networkTimeoutMillis;
    private final SilenceLimit silence = new SilenceLimit();
    private volatile boolean closed;

    public OwnConnections(DataSource dataSource, int networkTimeoutMillis) {
        this.dataSource = dataSource;
        this.networkTimeoutMillis = networkTimeoutMillis;
    }

    public DataSource dataSource() {
        return dataSource;
    }

    /** A connection in autocommit mode; closing gives it back as it came. */
    public Borrowed open() throws SQLException {
        if (closed) {
            throw new SQLNonTransientConnectionException("the store is closed", "08003");
        }
        Connection connection = connect();
        try {
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            return new Borrowed(connection, !autoCommit, silence.set(connection, networkTimeoutMillis));
        } catch (SQLException | RuntimeException e) {
            try {
                connection.close();
            } catch (SQLException close) {
                e.addSuppressed(close);
            }
            throw e;
        }
    }

    /** A pool that connects for the first time may fail with an exception of its own (HikariCP: PoolInitializationException). */
    private Connection connect() throws SQLException {
        try {
            return dataSource.getConnection();
        } catch (RuntimeException e) {
            throw new SQLNonTransientConnectionException(e.getMessage(), "08001", e);
        }
    }

    /** Ends the session, and has the pool notice, by a statement that fails: else it would lend the connection again. */
    public static void end(Connection connection) {
        try {
            connection.abort(Runnable::run);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        } catch (SQLException e) {
            LOG.debug("A connection has been ended", e);
        }
    }

    /** From now on no connection is borrowed; those in use are given back by their users. */
    public void close() {
        closed = true;
    }

    /** A connection on loan. */
    public record Borrowed(Connection connection, boolean autoCommitOff, int networkTimeout) implements AutoCloseable {
        @Override
        public void close() {
            try (connection) {
                if (!connection.isClosed()) {
                    SilenceLimit.restore(connection, networkTimeout);
                    if (autoCommitOff) {
                        connection.setAutoCommit(false);
                    }
                }
            } catch (SQLException e) {
                // The operation has its answer or its own failure; the pool finds out about the connection.
                LOG.debug("A connection couldn't be given back as it came", e);
            }
        }
    }
}
