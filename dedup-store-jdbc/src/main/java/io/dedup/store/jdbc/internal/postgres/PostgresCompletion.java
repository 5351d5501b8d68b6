package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.StatementWatch;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Completes a single message. Takes its values where they are used, and the purge hour from {@link PurgeClock}: a source of
 * requests, as {@link PostgresSql#COMPLETE} has it, costs the server about as much as finding the row. Thread-safe.
 */
final class PostgresCompletion {
    /**
     * Sets the lock timeout while it checks the row, before it locks it. Keeps the purge hour unless it is much too late; see
     * the DDL.
     */
    private static final String COMPLETE = """
            UPDATE {table} SET
                state = 4, owner = NULL, deaths = 0, lease_until = {no_lease}, completed_at = {now}, expires_at = {end},
                purge_hour = CASE WHEN purge_hour - ? BETWEEN 0 AND 2 THEN purge_hour ELSE ? END{result}
            WHERE message_id = ? AND scope = ? AND owner = ? AND state IN (1, 2) AND expires_at > {now}
                AND set_config('lock_timeout', '{lock_timeout}ms', true) <> ''
            """;

    private static final String RESULT = ", result = ?";

    /** A record in progress may have steps. */
    private static final String NO_RESULT = ", result = NULL";

    /** Sets no JDBC timeout; see {@link StatementWatch}. */
    private static final Statements STATEMENTS = new Statements(0);

    private final ClockedSql withEnd;
    private final ClockedSql forever;
    private final ClockedSql withEndAndResult;
    private final ClockedSql foreverWithResult;
    private final KeyFormat keys;
    private final StatementWatch watch;
    private final PurgeClock clock;

    PostgresCompletion(JdbcSettings settings, StatementWatch watch, PurgeClock clock) {
        String sql = COMPLETE.replace(
                "{lock_timeout}", Long.toString(settings.lockTimeout().toMillis()));
        String ends = sql.replace("{end}", "{now} + ?");
        String never = sql.replace("{end}", "{never}");
        this.withEnd = ClockedSql.of(settings, ends.replace("{result}", NO_RESULT));
        this.forever = ClockedSql.of(settings, never.replace("{result}", NO_RESULT));
        this.withEndAndResult = ClockedSql.of(settings, ends.replace("{result}", RESULT));
        this.foreverWithResult = ClockedSql.of(settings, never.replace("{result}", RESULT));
        this.keys = settings.keys();
        this.watch = watch;
        this.clock = clock;
    }

    WriteResult complete(Connection connection, CompleteRequest request) throws SQLException {
        long window = Micros.of(request.window());
        boolean ends = window != Micros.NEVER;
        int hour = clock.due(window);
        byte[] result = request.result();
        ClockedSql sql = result == null ? (ends ? withEnd : forever) : (ends ? withEndAndResult : foreverWithResult);
        try (PreparedStatement statement = STATEMENTS.prepare(connection, sql.on(connection));
                StatementWatch.Watched ignored = watch.begin(statement)) {
            int next = 1;
            if (ends) {
                statement.setLong(next++, window);
            }
            statement.setInt(next++, hour);
            statement.setInt(next++, hour);
            if (result != null) {
                statement.setBytes(next++, result);
            }
            statement.setBytes(next++, keys.messageId(request.claim().key()));
            statement.setBytes(next++, keys.scope(request.claim().key()));
            statement.setString(next, request.claim().owner().value());
            return statement.executeUpdate() == 1 ? WriteResult.applied() : WriteResult.leaseLost();
        }
    }
}
