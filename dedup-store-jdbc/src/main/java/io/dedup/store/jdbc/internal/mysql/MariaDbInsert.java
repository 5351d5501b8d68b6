package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** MariaDB's way to write a single record that is expected to be new. Thread-safe. */
final class MariaDbInsert {
    private final Statements statements;
    private final String sql;

    /** What the next message is taken for: what the last one was, as on PostgreSQL. */
    private volatile boolean newExpected = true;

    /** @param sql {@link MySqlSql#insertOne}, with what limits its time */
    MariaDbInsert(Statements statements, String sql) {
        this.statements = statements;
        this.sql = sql;
    }

    /** @param expected whether the last message was new */
    void expectNew(boolean expected) {
        newExpected = expected;
    }

    /** Null where there was a row, or where one is expected: then nothing was asked. */
    @Nullable
    RecordResult tryIfNew(Connection connection, RecordRequest request) throws SQLException {
        if (!newExpected) {
            return null;
        }
        long mark = WriteMark.next();
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            MySqlRecords.bind(statement, List.of(request), mark);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() && WriteMark.isOf(mark, result.getLong(1))
                        ? new RecordResult.Written(result.getLong(2))
                        : null;
            }
        }
    }
}
