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
 * A row that a transaction without a record writes first and removes last. If it is missing at the end, the database
 * rolled the transaction back in between and silently began another one. No other session ever sees it, unless a
 * handler commits on its own and the process crashes. Bound to the transaction's thread.
 */
public final class TransactionMarker {
    /** A scope that no message can have, because those consist of a consumer's and a topic's name. */
    private static final byte[] SCOPE = KeyBytes.utf8("transaction");

    /** When the purge may remove a leftover: long, because this is counted by the process's clock. */
    private static final Duration LEFTOVER = Duration.ofDays(7);

    private static final String PUT =
            "INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until,"
                    + " expires_at) VALUES (?, ?, 4, 1, 0, 0, 0, ?)";

    private static final String TAKE = "DELETE FROM {table} WHERE message_id = ? AND scope = ?";

    private final Statements statements;
    private final TableName table;

    /** 64 random bits. If two transactions ever had the same, the second one would fail. */
    private final byte[] id =
            KeyBytes.utf8(Long.toHexString(ThreadLocalRandom.current().nextLong()));

    private TransactionMarker(Statements statements, TableName table) {
        this.statements = statements;
        this.table = table;
    }

    static TransactionMarker put(Connection connection, Statements statements, TableName table) throws SQLException {
        TransactionMarker marker = new TransactionMarker(statements, table);
        try (PreparedStatement statement = marker.prepare(connection, PUT)) {
            statement.setLong(3, Micros.of(Instant.now().plus(LEFTOVER)));
            statement.executeUpdate();
        }
        return marker;
    }

    /**
     * Removes the row.
     *
     * @throws SQLException also if it is missing
     */
    public void take(Connection connection) throws SQLException {
        try (PreparedStatement statement = prepare(connection, TAKE)) {
            if (statement.executeUpdate() != 1) {
                throw UndoneTransaction.failure();
            }
        }
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = statements.prepare(connection, table.in(sql));
        statement.setBytes(1, id);
        statement.setBytes(2, SCOPE);
        return statement;
    }
}
