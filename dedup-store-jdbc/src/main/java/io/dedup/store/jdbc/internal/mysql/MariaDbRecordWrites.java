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
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes records on MariaDB and returns what was written, without waiting for locks. A single record that is expected
 * to be new is inserted first, which costs less. Thread-safe.
 */
final class MariaDbRecordWrites implements RecordWrites {
    private static final String RETURNING = " RETURNING " + MySqlSql.RECORDED.replace("{t}", "");

    private final JdbcSettings settings;
    private final Statements statements;
    private final String noWait;
    private final String insertOne;
    private final String one;

    /** Whether the next message is expected to be new: whether the last one was, as on PostgreSQL. */
    private volatile boolean newExpected = true;

    /** @param noWait what comes before a statement, so that it doesn't wait for locks */
    MariaDbRecordWrites(JdbcSettings settings, Statements statements, String noWait) {
        this.settings = settings;
        this.statements = statements;
        this.noWait = noWait;
        this.insertOne = MySqlSql.of(settings, noWait, MySqlSql.insertOne());
        this.one = MySqlSql.of(settings, noWait, MySqlSql.recordOne() + RETURNING);
    }

    @Override
    public List<@Nullable RecordResult> write(Connection connection, List<RecordRequest> requests) throws SQLException {
        if (requests.size() > 1) {
            return all(connection, requests);
        }
        if (newExpected) {
            RecordResult written = insert(connection, requests);
            if (written != null) {
                return Collections.singletonList(written);
            }
        }
        List<@Nullable RecordResult> answers = all(connection, requests);
        newExpected = answers.get(0) instanceof RecordResult.Written;
        return answers;
    }

    /** Inserts a record; null if there was a row. */
    private @Nullable RecordResult insert(Connection connection, List<RecordRequest> request) throws SQLException {
        long mark = WriteMark.next();
        try (PreparedStatement statement = statements.prepare(connection, insertOne)) {
            RecordAnswers.bind(statement, settings.keys(), request, mark);
            try (ResultSet result = statement.executeQuery()) {
                return result.next() && WriteMark.isOf(mark, result.getLong(1))
                        ? new RecordResult.Written(result.getLong(2))
                        : null;
            }
        }
    }

    private List<@Nullable RecordResult> all(Connection connection, List<RecordRequest> requests) throws SQLException {
        List<DedupKey> keys = requests.stream().map(RecordRequest::key).toList();
        long mark = WriteMark.next();
        try (PreparedStatement statement = statements.prepare(connection, sql(requests.size()))) {
            RecordAnswers.bind(statement, settings.keys(), requests, mark);
            try (ResultSet result = statement.executeQuery()) {
                return RecordAnswers.read(result, settings.keys(), requests, keys, mark);
            }
        }
    }

    private String sql(int requests) {
        return requests == 1 ? one : MySqlSql.of(settings, noWait, MySqlSql.record(requests) + RETURNING);
    }
}
