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
 * Proves that the table can be written: inserts a row, updates it and deletes it again. A database that has become read-only
 * still answers reads, and so does one whose disk is full. Three round trips; no two probes meet in one row. Thread-safe.
 */
public final class WriteProbe {
    /** No scope that a message could have: those are made of a consumer's name and a topic's. */
    private static final byte[] SCOPE = KeyBytes.utf8("probe");

    /** When the purge may remove what a process left that died half way: by its own clock, hence so far away. */
    private static final Duration LEFTOVER = Duration.ofDays(1);

    private static final String KEY = " WHERE message_id = ? AND scope = ?";

    private final Statements statements;
    private final String insert;
    private final String update;
    private final String delete;

    /** @param limits what comes before a statement, to limit its waits; may be empty */
    public WriteProbe(TableName table, Statements statements, String limits) {
        this.statements = statements;
        this.insert = limits
                + table.in(
                        "INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until, expires_at)"
                                + " VALUES (?, ?, 4, 1, 0, 0, 0, ?)");
        this.update = limits + table.in("UPDATE {table} SET token = 1" + KEY);
        this.delete = limits + table.in("DELETE FROM {table}" + KEY);
    }

    /** @throws SQLException when the table can't be written, */
    public void run(Connection connection) throws SQLException {
        byte[] id = KeyBytes.utf8(Long.toHexString(ThreadLocalRandom.current().nextLong()));
        try (PreparedStatement statement = prepare(connection, insert, id)) {
            statement.setLong(3, Micros.of(Instant.now().plus(LEFTOVER)));
            statement.executeUpdate();
        }
        execute(connection, update, id);
        execute(connection, delete, id);
    }

    private void execute(Connection connection, String sql, byte[] id) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, id)) {
            statement.executeUpdate();
        }
    }

    private PreparedStatement prepare(Connection connection, String sql, byte[] id) throws SQLException {
        PreparedStatement statement = statements.prepare(connection, sql);
        statement.setBytes(1, id);
        statement.setBytes(2, SCOPE);
        return statement;
    }
}
