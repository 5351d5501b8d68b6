package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.connection.DataSources;
import io.dedup.store.jdbc.internal.connection.SilenceLimit;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.CannotGetJdbcConnectionException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The connection that a transaction manager bound to the thread.
 *
 * @param key the {@link DataSource} that it is bound to
 * @param holder the bound object
 */
record TransactionConnection(DataSource key, ConnectionHolder holder) {
    private static final Logger log = LoggerFactory.getLogger(TransactionConnection.class);

    public interface Work<A> {
        A on(Connection connection) throws SQLException;
    }

    /**
     * Finds the bound connection of this database, also if it is bound to a proxy of the data source; null if there is
     * none.
     */
    static @Nullable TransactionConnection find(DataSource dataSource) {
        DataSource target = DataSources.target(dataSource);
        for (Map.Entry<Object, Object> bound :
                TransactionSynchronizationManager.getResourceMap().entrySet()) {
            if (bound.getValue() instanceof ConnectionHolder holder
                    && bound.getKey() instanceof DataSource key
                    && DataSources.target(key) == target) {
                return new TransactionConnection(key, holder);
            }
        }
        return null;
    }

    boolean isBound() {
        return TransactionSynchronizationManager.getResource(key) == holder;
    }

    /** @throws CannotGetJdbcConnectionException when the transaction has no connection any more */
    <A> A with(Work<A> work) throws SQLException {
        if (!isBound()) { // otherwise Spring would return a connection outside the transaction
            throw new CannotGetJdbcConnectionException("the transaction's connection is not bound to this thread");
        }
        Connection connection = DataSourceUtils.getConnection(key);
        try {
            return work.on(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, key);
        }
    }

    /**
     * Limits how long the connection waits for an answer, the one to the commit included.
     *
     * @return what {@link #restoreSilence} takes
     */
    int limitSilence(SilenceLimit limit, int millis) {
        try {
            return with(connection -> limit.set(connection, millis));
        } catch (SQLException e) {
            log.debug(
                    "A connection has no limit on how long it waits for an answer",
                    e); // it is broken: the claim will fail
            return SilenceLimit.UNCHANGED;
        }
    }

    void restoreSilence(int before) {
        if (before != SilenceLimit.UNCHANGED) {
            ended("given its limit back", connection -> {
                SilenceLimit.restore(connection, before);
                return true;
            });
        }
    }

    /**
     * Rolls back, unless that has been done.
     *
     * @return whether it is certain to be rolled back
     */
    boolean rollBack() {
        return ended("rolled back", TransactionConnection::rollBack);
    }

    private static boolean rollBack(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback(); // drivers that know that nothing is open make no round trip
        }
        return true;
    }

    /**
     * Closes the session, so that nothing of the transaction can be committed later: a transaction manager restores
     * autocommit, which commits.
     *
     * @return whether it is certain to be closed
     */
    boolean abort() {
        return ended("given up", TransactionConnection::abort);
    }

    /** False where it isn't certain. */
    private boolean ended(String how, Work<Boolean> work) {
        try {
            return isBound() && with(work);
        } catch (SQLException | RuntimeException e) {
            log.debug("A connection couldn't be {}", how, e);
            return false;
        }
    }

    private static boolean abort(Connection connection) throws SQLException {
        connection.abort(Runnable::run);
        if (connection.isValid(1)) { // the driver does not support abort
            connection.rollback();
        }
        return true;
    }
}
