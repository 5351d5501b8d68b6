package io.dedup.store.jdbc;

import io.dedup.store.jdbc.Dialect.PurgeRun;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Purges in two statements: which records are expired, and the removal of those that still are. */
final class ExpiredRows {
    private final ReadCommitted readCommitted = new ReadCommitted();
    private final Statements statements;
    private final StoreClock clock;
    private final String clockSql;
    private final String select;
    private final String delete;
    private final boolean skipLocked;

    ExpiredRows(TableName table, Statements statements, StoreClock clock, boolean skipLocked) {
        this.statements = statements;
        this.clock = clock;
        this.skipLocked = skipLocked;
        this.clockSql = clock.query();
        this.select = table.in("SELECT scope, message_id FROM {table} WHERE expires_at <= ? ORDER BY expires_at");
        this.delete = table.in("DELETE FROM {table} WHERE expires_at <= ? AND scope = ? AND message_id IN (");
    }

    PurgeRun purge(Connection connection, int limit) throws SQLException {
        if (!skipLocked) {
            return readCommitted.run(connection, () -> purgeFound(connection, limit, select));
        }
        String locking = select + " LIMIT " + limit + " FOR UPDATE SKIP LOCKED";
        return readCommitted.run(
                connection, () -> SkipLocked.inTransaction(connection, () -> purgeFound(connection, limit, locking)));
    }

    private PurgeRun purgeFound(Connection connection, int limit, String sql) throws SQLException {
        long now = now(connection);
        int seen = 0;
        Map<String, List<byte[]>> idsByScope = new LinkedHashMap<>();
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setMaxRows(limit);
            statement.setLong(1, now);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    seen++;
                    idsByScope
                            .computeIfAbsent(KeyBytes.text(result.getBytes(1)), any -> new ArrayList<>())
                            .add(result.getBytes(2));
                }
            }
        }
        int removed = 0;
        for (Map.Entry<String, List<byte[]>> ofScope : idsByScope.entrySet()) {
            removed += delete(connection, now, ofScope.getKey(), ofScope.getValue());
        }
        return new PurgeRun(removed, seen, seen == limit);
    }

    long now(Connection connection) throws SQLException {
        try (PreparedStatement statement = statements.prepare(connection, clockSql);
                ResultSet result = statement.executeQuery()) {
            result.next();
            return clock.read(result);
        }
    }

    private int delete(Connection connection, long now, String scope, List<byte[]> ids) throws SQLException {
        String sql = delete + Statements.list("?", ids.size()) + ")";
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setLong(1, now);
            statement.setBytes(2, KeyBytes.utf8(scope));
            for (int i = 0; i < ids.size(); i++) {
                statement.setBytes(3 + i, ids.get(i));
            }
            return statement.executeUpdate();
        }
    }
}
