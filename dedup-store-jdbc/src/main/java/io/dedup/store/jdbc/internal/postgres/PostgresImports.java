package io.dedup.store.jdbc.internal.postgres;

import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.bytes;
import static io.dedup.store.jdbc.internal.postgres.PostgresColumn.number;

import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
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
 * Imports records with one statement, which returns only those that were not written. Those are decided by the
 * statement's snapshot; a row that was written since is asked about again. Thread-safe.
 */
final class PostgresImports {
    private static final String IMPORT = """
            WITH req AS MATERIALIZED ({requests}),
            written AS (
                INSERT INTO {table} AS t (message_id, scope, state, attempt, deaths, token, lease_until, completed_at,
                                          expires_at, purge_hour, result)
                SELECT r.message_id, r.scope, 4, 0, 0, 0, 0, r.completed, r.ends, {due}, r.result
                FROM req r WHERE r.ends > {now} ORDER BY r.ord
                ON CONFLICT (message_id, scope) DO UPDATE SET
                    state = 4, owner = NULL, deaths = 0, lease_until = 0,
                    attempt = CASE WHEN t.expires_at <= {start} THEN 0 ELSE t.attempt END,
                    fingerprint = CASE WHEN t.expires_at <= {start} THEN NULL ELSE t.fingerprint END,
                    completed_at = CASE WHEN {done} THEN greatest(t.completed_at, excluded.completed_at)
                                        ELSE excluded.completed_at END,
                    expires_at = CASE WHEN {done} THEN greatest(t.expires_at, excluded.expires_at)
                                      ELSE excluded.expires_at END,
                    purge_hour = excluded.purge_hour,
                    result = CASE WHEN {done} THEN coalesce(t.result, excluded.result) ELSE excluded.result END
                WHERE t.state IN (0, 3) OR t.expires_at <= {start}
                   OR t.state IN (1, 2) AND t.lease_until <= {now}
                   OR t.state = 4 AND (t.completed_at < excluded.completed_at OR t.expires_at < excluded.expires_at)
                RETURNING t.message_id, t.scope)
            SELECT r.ord, r.ends <= {now}, t.state IN (1, 2) AND t.lease_until > {now},
                   t.state = 4 AND t.completed_at >= r.completed AND t.expires_at >= r.ends
            FROM req r LEFT JOIN {table} t ON t.message_id = r.message_id AND t.scope = r.scope
            WHERE (SELECT count(*) FROM written) < (SELECT count(*) FROM req)
                AND (r.message_id, r.scope) NOT IN (SELECT w.message_id, w.scope FROM written w)
            """.replace("{done}", "t.state = 4 AND t.expires_at > {start}")
            .replace("{due}", PostgresSql.hourOf("r.ends = {never}", "r.ends"));

    private final Statements statements;
    private final PostgresRequests<ImportRequest> requests;

    PostgresImports(JdbcSettings settings, Statements statements) {
        this.statements = statements;
        this.requests = new PostgresRequests<>(
                settings,
                IMPORT,
                List.of(
                        bytes("message_id", request -> settings.keys().messageId(request.key())),
                        bytes("scope", request -> settings.keys().scope(request.key())),
                        number("completed", request -> Micros.of(request.completedAt())),
                        number("ends", LeaseTransitions::endOf),
                        bytes("result", ImportRequest::result)));
    }

    List<@Nullable ImportResult> importDone(Connection connection, List<ImportRequest> all) throws SQLException {
        @Nullable ImportResult[] answers = new ImportResult[all.size()];
        Arrays.fill(answers, Decision.IMPORTED);
        try (PreparedStatement statement = requests.prepare(connection, statements, all);
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                answers[result.getInt(1) - 1] = result.getBoolean(2)
                        ? Decision.OVER
                        : result.getBoolean(3) ? Decision.HELD : result.getBoolean(4) ? Decision.KNOWN : null;
            }
        }
        return Arrays.asList(answers);
    }
}
