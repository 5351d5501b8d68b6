package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.TableName;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Proves that the table can be written: inserts a row, updates it and deletes it. A read-only database, or one with a
 * full disk, still answers reads. Takes three round trips; no two probes use the same row. Thread-safe.
 */
public final class WriteProbe {
    /** A scope that no message can have, because those consist of a consumer's and a topic's name. */
    private static final byte[] SCOPE = KeyBytes.utf8("probe");

    /**
     * When the purge may remove the leftover of a crashed process: long, because this is counted by the process's
     * clock.
     */
    private static final Duration LEFTOVER = Duration.ofDays(1);

    private static final String KEY = " WHERE message_id = ? AND scope = ?";

    private final Statements statements;
    private final String insert;
    private final String update;
    private final String delete;

    /**
     * Creates a probe.
     *
     * @param limits a prefix of statements that limits their waits; may be empty
     */
    public WriteProbe(TableName table, Statements statements, String limits) {
        this.statements = statements;
        this.insert = limits
                + table.in(
                        "INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until, expires_at)"
                                + " VALUES (?, ?, 4, 1, 0, 0, 0, ?)");
        this.update = limits + table.in("UPDATE {table} SET token = 1" + KEY);
        this.delete = limits + table.in("DELETE FROM {table}" + KEY);
    }

    /**
     * Runs the probe.
     *
     * @throws SQLException if the table cannot be written
     */
    public void run(Connection connection) throws SQLException {
        withRow(connection, id -> execute(connection, update, id));
    }

    /** Work with the row. */
    public interface Work {
        void with(byte[] id) throws SQLException;
    }

    /**
     * Does something with a row that no message has: inserts it, and deletes it if the work ends well.
     *
     * @param connection in autocommit mode
     */
    public void withRow(Connection connection, Work work) throws SQLException {
        byte[] id = KeyBytes.utf8(Long.toHexString(ThreadLocalRandom.current().nextLong()));
        try (PreparedStatement statement = prepare(connection, insert, id)) {
            statement.setLong(3, Micros.of(Instant.now().plus(LEFTOVER)));
            statement.executeUpdate();
        }
        work.with(id);
        execute(connection, delete, id);
    }

    /** Sets the first two values of a statement, the row's key: {@code message_id = ? AND scope = ?}. */
    public static void bind(PreparedStatement statement, byte[] id) throws SQLException {
        statement.setBytes(1, id);
        statement.setBytes(2, SCOPE);
    }

    private void execute(Connection connection, String sql, byte[] id) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, id)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(Connection connection, String sql, byte[] id) throws SQLException {
        PreparedStatement statement = statements.prepare(connection, sql);
        bind(statement, id);
        return statement;
    }
}
