package io.dedup.store.jdbc.internal.lookalike;

import io.dedup.store.jdbc.internal.dialect.SkipLocked;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Asks a server with two sessions whether it does what the dialects rely on. Some accept a statement and ignore what it
 * asks for: TiDB reads without a lock where {@code FOR UPDATE SKIP LOCKED} is written, and CockroachDB answered every
 * {@code pg_try_advisory_xact_lock} with true before it had such locks.
 */
final class ServerBehaviour {
    /** Enough for a session that would wait for the other one, instead of skipping its lock. */
    private static final Statements STATEMENTS = new Statements(5);

    private final WriteProbe probe;
    private final String read;
    private final String update;

    ServerBehaviour(TableName table, WriteProbe probe) {
        this.probe = probe;
        this.read = table.in("SELECT token FROM {table} WHERE message_id = ? AND scope = ?");
        this.update = table.in("UPDATE {table} SET token = token + 1 WHERE message_id = ? AND scope = ?");
    }

    private interface Question {
        boolean isYes(byte[] id) throws SQLException;
    }

    /**
     * What the server doesn't do; empty if it does all.
     *
     * @param first in autocommit mode, as it is again afterwards
     * @param second the same; another session
     * @param advisoryLocks whether the dialect uses advisory locks
     */
    List<String> missing(Connection first, Connection second, boolean advisoryLocks) throws SQLException {
        List<String> missing = new ArrayList<>();
        probe.withRow(first, id -> {
            ask(
                    missing,
                    "FOR UPDATE SKIP LOCKED doesn't lock rows, or doesn't skip locked ones",
                    id,
                    row -> locks(first, second, row));
            ask(
                    missing,
                    "a transaction at READ COMMITTED doesn't see what others commit meanwhile",
                    id,
                    row -> readsCommitted(first, second, row));
            if (advisoryLocks) {
                ask(
                        missing,
                        "pg_try_advisory_xact_lock doesn't keep a second session out until the first one commits",
                        id,
                        row -> excludes(first, second));
            }
        });
        return missing;
    }

    private static void ask(List<String> missing, String otherwise, byte[] id, Question question) throws SQLException {
        try {
            if (!question.isYes(id)) {
                missing.add(otherwise);
            }
        } catch (SQLException e) {
            if (isNoAnswer(e)) {
                throw e;
            }
            missing.add(otherwise + " (" + e.getMessage() + ")");
        }
    }

    private static boolean isNoAnswer(SQLException e) {
        return e instanceof SQLNonTransientConnectionException
                || e instanceof SQLRecoverableException
                || (e instanceof SQLTransientException && !(e instanceof java.sql.SQLTimeoutException))
                || (e.getSQLState() != null && e.getSQLState().startsWith("08"));
    }

    private boolean locks(Connection first, Connection second, byte[] id) throws SQLException {
        String lock = read + " FOR UPDATE SKIP LOCKED";
        return SkipLocked.inTransaction(
                first,
                () -> isThere(first, lock, id) && SkipLocked.inTransaction(second, () -> !isThere(second, lock, id)));
    }

    private boolean readsCommitted(Connection first, Connection second, byte[] id) throws SQLException {
        int before = first.getTransactionIsolation();
        first.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        try {
            return SkipLocked.inTransaction(first, () -> {
                long old = token(first, id);
                try (PreparedStatement statement = prepare(second, update, id)) {
                    statement.executeUpdate();
                }
                return token(first, id) == old + 1;
            });
        } finally {
            first.setTransactionIsolation(before);
        }
    }

    private static boolean excludes(Connection first, Connection second) throws SQLException {
        long lock = ThreadLocalRandom.current().nextLong();
        boolean kept = SkipLocked.inTransaction(
                first, () -> isLocked(first, lock) && SkipLocked.inTransaction(second, () -> !isLocked(second, lock)));
        return kept && SkipLocked.inTransaction(second, () -> isLocked(second, lock));
    }

    private static boolean isLocked(Connection connection, long lock) throws SQLException {
        try (PreparedStatement statement = STATEMENTS.prepare(connection, "SELECT pg_try_advisory_xact_lock(?)")) {
            statement.setLong(1, lock);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() && result.getBoolean(1);
            }
        }
    }

    private boolean isThere(Connection connection, String sql, byte[] id) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, id);
                ResultSet result = statement.executeQuery()) {
            return result.next();
        }
    }

    private long token(Connection connection, byte[] id) throws SQLException {
        try (PreparedStatement statement = prepare(connection, read, id);
                ResultSet result = statement.executeQuery()) {
            return result.next() ? result.getLong(1) : -1;
        }
    }

    private static PreparedStatement prepare(Connection connection, String sql, byte[] id) throws SQLException {
        PreparedStatement statement = STATEMENTS.prepare(connection, sql);
        WriteProbe.bind(statement, id);
        return statement;
    }
}
