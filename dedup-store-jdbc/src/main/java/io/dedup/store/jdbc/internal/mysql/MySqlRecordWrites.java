package io.dedup.store.jdbc.internal.mysql;

import io.dedup.DedupKey;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes records on MySQL: first locks existing rows without waiting; then writes, which waits only for a session that
 * has just inserted one of the rows; then reads. Thread-safe.
 */
final class MySqlRecordWrites implements RecordWrites {
    private final JdbcSettings settings;
    private final Statements statements;

    MySqlRecordWrites(JdbcSettings settings, Statements statements) {
        this.settings = settings;
        this.statements = statements;
    }

    @Override
    public List<@Nullable RecordResult> write(Connection connection, List<RecordRequest> requests) throws SQLException {
        List<DedupKey> keys = requests.stream().map(RecordRequest::key).toList();
        lock(connection, keys);
        long mark = WriteMark.next();
        String sql = MySqlSql.of(settings, MySqlSql.record(requests.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            RecordAnswers.bind(statement, settings.keys(), requests, mark);
            statement.executeUpdate();
        }
        return lookedUp(connection, requests, keys, mark);
    }

    /** Locks the existing rows; fails if another session has locked one of them. */
    private void lock(Connection connection, List<DedupKey> keys) throws SQLException {
        String sql = MySqlSql.of(settings, MySqlSql.ofKeys("SELECT t.attempt", keys.size()) + " FOR UPDATE NOWAIT");
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            RecordAnswers.bindKeys(statement, settings.keys(), keys);
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    // all of them, for drivers that fetch as they are read
                }
            }
        }
    }

    /** Reads the rows, which cannot have changed, because the write has locked them. */
    private List<@Nullable RecordResult> lookedUp(
            Connection connection, List<RecordRequest> requests, List<DedupKey> keys, long mark) throws SQLException {
        String sql =
                MySqlSql.of(settings, MySqlSql.ofKeys("SELECT " + MySqlSql.RECORDED.replace("{t}", "t."), keys.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            RecordAnswers.bindKeys(statement, settings.keys(), keys);
            try (ResultSet result = statement.executeQuery()) {
                return RecordAnswers.read(result, settings.keys(), requests, keys, mark);
            }
        }
    }
}
