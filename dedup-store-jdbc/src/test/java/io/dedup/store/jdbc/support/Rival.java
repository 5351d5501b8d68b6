package io.dedup.store.jdbc.support;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/** Somebody else's transaction, which holds rows of the store's table. Not thread-safe. */
public final class Rival implements AutoCloseable {
    private final TestDatabase database;
    private final Connection connection;
    private KeyFormat keys = KeyFormat.PLAIN;

    public Rival(TestDatabase database) throws SQLException {
        this.database = database;
        this.connection = database.connect();
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    }

    public static Rival locking(TestDatabase database, DedupKey key) throws SQLException {
        return locking(database, List.of(key));
    }

    public static Rival locking(TestDatabase database, Collection<DedupKey> keys) throws SQLException {
        Rival rival = new Rival(database);
        keys.forEach(rival::lock);
        return rival;
    }

    /** On a table with such keys. */
    public static Rival locking(TestDatabase database, DedupKey key, KeyFormat keys) throws SQLException {
        Rival rival = new Rival(database);
        rival.keys = keys;
        rival.lock(key);
        return rival;
    }

    public void lock(DedupKey key) {
        try {
            tryLock(key);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether it got the lock; it didn't if this transaction was chosen as the victim of a deadlock. */
    public boolean lockUnlessVictim(DedupKey key) throws SQLException {
        try {
            tryLock(key);
            return true;
        } catch (SQLException e) {
            if ("40P01".equals(e.getSQLState()) || "40001".equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private void tryLock(DedupKey key) throws SQLException {
        String sql = "SELECT attempt FROM dedup_record WHERE message_id = ? AND scope = ? FOR UPDATE";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, key);
            try (ResultSet result = statement.executeQuery()) {
                if (!result.next()) {
                    throw new IllegalStateException("no row to be locked: " + key);
                }
            }
        }
    }

    /** Inserts a record that is done for ever. */
    public void insertDone(DedupKey key) throws SQLException {
        String sql = "INSERT INTO dedup_record (message_id, scope, state, attempt, deaths, token, lease_until,"
                + " completed_at, expires_at) VALUES (?, ?, 4, 1, 0, 1, 0, 1, " + Micros.NEVER + ")";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, key);
            statement.executeUpdate();
        }
    }

    /** Makes a record that is there done for ever. */
    public void updateDone(DedupKey key) throws SQLException {
        String sql = "UPDATE dedup_record SET state = 4, owner = NULL, lease_until = 0, completed_at = 1, expires_at = "
                + Micros.NEVER + " WHERE message_id = ? AND scope = ?";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, key);
            statement.executeUpdate();
        }
    }

    /** Gives this transaction more to lose than anybody else's, so that a deadlock doesn't take it for its victim. */
    public void work() throws SQLException {
        String sql = "INSERT INTO work (id) VALUES (?)";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < 200; i++) {
                statement.setInt(1, i);
                statement.executeUpdate();
            }
        }
    }

    public void execute(String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }

    /** The server's clock, in microseconds. */
    public long now() throws SQLException {
        String sql = database.isPostgres()
                ? "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
                : "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet result = statement.executeQuery()) {
            result.next();
            return result.getLong(1);
        }
    }

    public void commit() throws SQLException {
        connection.commit();
    }

    public void rollback() throws SQLException {
        connection.rollback();
    }

    private void bind(PreparedStatement statement, DedupKey key) throws SQLException {
        statement.setBytes(1, keys.messageId(key));
        statement.setBytes(2, keys.scope(key));
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.rollback();
        }
    }
}
