package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyIndex;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Imports records on MySQL and MariaDB. The mark shows what this call has written, as for claims. MariaDB returns the
 * rows; MySQL needs a second round trip to read them. Thread-safe.
 */
final class MySqlImports {
    private static final String RETURNED = "message_id, scope, state, lease_until > {now}, write_mark, FALSE";

    private final JdbcSettings settings;
    private final Statements statements;
    private final String before;
    private final boolean returning;

    /**
     * @param before what comes before a statement, to limit its time; may be empty
     * @param returning whether the server can return what it wrote
     */
    MySqlImports(JdbcSettings settings, Statements statements, String before, boolean returning) {
        this.settings = settings;
        this.statements = statements;
        this.before = before;
        this.returning = returning;
    }

    List<@Nullable ImportResult> importDone(Connection connection, List<ImportRequest> requests) throws SQLException {
        long mark = WriteMark.next();
        String returned = returning ? " RETURNING " + RETURNED : "";
        String sql = MySqlSql.of(settings, before, MySqlSql.importDone(requests.size()) + returned);
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            bind(statement, requests, mark);
            if (returning) {
                try (ResultSet result = statement.executeQuery()) {
                    return read(result, requests, mark);
                }
            }
            statement.executeUpdate();
        }
        return lookedUp(connection, requests, mark);
    }

    private void bind(PreparedStatement statement, List<ImportRequest> requests, long mark) throws SQLException {
        int next = 1;
        for (ImportRequest request : requests) {
            statement.setBytes(next++, settings.keys().messageId(request.key()));
            statement.setBytes(next++, settings.keys().scope(request.key()));
            statement.setLong(next++, Micros.of(request.completedAt()));
            statement.setLong(next++, LeaseTransitions.endOf(request));
            statement.setBytes(next++, request.result());
            statement.setLong(next++, mark);
        }
    }

    private List<@Nullable ImportResult> lookedUp(Connection connection, List<ImportRequest> requests, long mark)
            throws SQLException {
        String sql = MySqlSql.of(settings, MySqlSql.imported(requests.size()));
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            int next = 1;
            for (ImportRequest request : requests) {
                statement.setBytes(next++, settings.keys().messageId(request.key()));
                statement.setBytes(next++, settings.keys().scope(request.key()));
                statement.setLong(next++, LeaseTransitions.endOf(request));
            }
            try (ResultSet result = statement.executeQuery()) {
                return read(result, requests, mark);
            }
        }
    }

    /**
     * The rows in any order; requests without one were not written, because their window has ended. A row that another
     * session has written since shows by its state what the import has found; one that shows neither is asked about
     * again.
     */
    private List<@Nullable ImportResult> read(ResultSet result, List<ImportRequest> requests, long mark)
            throws SQLException {
        @Nullable ImportResult[] answers = new ImportResult[requests.size()];
        Arrays.fill(answers, Decision.OVER);
        KeyIndex index = new KeyIndex(
                settings.keys(), requests.stream().map(ImportRequest::key).toList());
        while (result.next()) {
            answers[index.position(result, 1)] = decision(result, mark);
        }
        return Arrays.asList(answers);
    }

    private static @Nullable Decision decision(ResultSet result, long mark) throws SQLException {
        int state = result.getInt(3);
        boolean absent = result.wasNull();
        if (!absent && WriteMark.isOf(mark, result.getLong(5))) {
            return Decision.IMPORTED;
        }
        if (result.getBoolean(6)) {
            return Decision.OVER;
        }
        if (absent) {
            return null;
        }
        return state == Phase.DONE.number() ? Decision.KNOWN : result.getBoolean(4) ? Decision.HELD : null;
    }
}
