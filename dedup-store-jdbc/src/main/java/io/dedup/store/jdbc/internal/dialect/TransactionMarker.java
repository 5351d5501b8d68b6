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
 * A row that a transaction without a record of its own writes first and removes last. Where it is gone by then, the database has
 * undone the transaction in between, and silently begun another one. Nobody else ever sees it, unless a handler commits on its
 * own and dies. Belongs to the transaction's thread.
 */
public final class TransactionMarker {
    /** No scope that a message could have: those are made of a consumer's name and a topic's. */
    private static final byte[] SCOPE = KeyBytes.utf8("transaction");

    /** When the purge may have what is left: by this process's clock, hence so far away. */
    private static final Duration LEFTOVER = Duration.ofDays(7);

    private static final String PUT =
            "INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until,"
                    + " expires_at) VALUES (?, ?, 4, 1, 0, 0, 0, ?)";

    private static final String TAKE = "DELETE FROM {table} WHERE message_id = ? AND scope = ?";

    private final Statements statements;
    private final TableName table;

    /** Of 64 random bits; should two ever be the same, the second transaction comes to nothing. */
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

    /** @throws SQLException also when it is gone */
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
