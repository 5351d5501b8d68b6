package io.dedup.store.jdbc.internal.connection;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Borrows connections directly from the {@link DataSource}, outside any transaction of the calling thread, in
 * autocommit mode and with a network timeout. Both settings are restored afterwards.
 *
 * <p>Neither costs a round trip, except switching to autocommit on MySQL and MariaDB if the pool has it off.
 */
public final class OwnConnections {
    private static final Logger log = LoggerFactory.getLogger(OwnConnections.class);

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

    /** Borrows a connection in autocommit mode; closing it returns it with its original settings. */
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

    /**
     * Closes the session, and runs a statement that fails, so that the pool notices and does not lend the connection
     * again.
     */
    public static void end(Connection connection) {
        try {
            connection.abort(Runnable::run);
            try (Statement statement = connection.createStatement()) {
                statement.execute("SELECT 1");
            }
        } catch (SQLException e) {
            log.debug("A connection has been ended", e);
        }
    }

    /** Stops borrowing connections; those in use are returned by their users. */
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
                log.debug("A connection couldn't be given back as it came", e);
            }
        }
    }
}
