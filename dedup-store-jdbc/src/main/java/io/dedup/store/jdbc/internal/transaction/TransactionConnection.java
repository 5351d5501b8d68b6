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
 * The connection that a transaction manager has bound to the thread.
 *
 * @param key the {@link DataSource} that it is bound by
 * @param holder what is bound
 */
record TransactionConnection(DataSource key, ConnectionHolder holder) {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionConnection.class);

    public interface Work<A> {
        A on(Connection connection) throws SQLException;
    }

    /** The connection of this database that is bound, be it by a proxy of the data source; null where there is none. */
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
        if (!isBound()) { // else we would be given one of our own, outside
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
            LOG.debug(
                    "A connection has no limit on how long it waits for an answer",
                    e); // it is broken: the claim will say so
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
     * Rolls back where that hasn't been done.
     *
     * @return whether that is certain
     */
    boolean rollBack() {
        return ended("rolled back", TransactionConnection::rollBack);
    }

    private static boolean rollBack(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback(); // no round trip where nothing is open, by drivers that know
        }
        return true;
    }

    /**
     * Ends the session, so that nothing of the transaction can be committed any more by what comes after: a transaction
     * manager puts autocommit back, which commits.
     *
     * @return whether that is certain
     */
    boolean abort() {
        return ended("given up", TransactionConnection::abort);
    }

    /** False where it isn't certain. */
    private boolean ended(String how, Work<Boolean> work) {
        try {
            return isBound() && with(work);
        } catch (SQLException | RuntimeException e) {
            LOG.debug("A connection couldn't be {}", how, e);
            return false;
        }
    }

    private static boolean abort(Connection connection) throws SQLException {
        connection.abort(Runnable::run);
        if (connection.isValid(1)) { // of a driver that can't abort
            connection.rollback();
        }
        return true;
    }
}
