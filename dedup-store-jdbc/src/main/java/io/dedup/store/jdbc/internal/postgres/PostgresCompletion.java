package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
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
                state = 4, owner = NULL, deaths = 0, lease_until = 0, completed_at = {now}, expires_at = {end},
                purge_hour = CASE WHEN purge_hour - ? BETWEEN 0 AND 2 THEN purge_hour ELSE ? END, result = ?
            WHERE message_id = ? AND scope = ? AND owner = ? AND state IN (1, 2) AND expires_at > {now}
                AND set_config('lock_timeout', '{lock_timeout}ms', true) <> ''
            """;

    private final String withEnd;
    private final String forever;
    private final Statements statements;
    private final PurgeClock clock;

    PostgresCompletion(JdbcSettings settings, Statements statements, PurgeClock clock) {
        String sql = COMPLETE.replace(
                "{lock_timeout}", Long.toString(settings.lockTimeout().toMillis()));
        this.withEnd = PostgresSql.of(settings, sql.replace("{end}", "{now} + ?"));
        this.forever = PostgresSql.of(settings, sql.replace("{end}", "{never}"));
        this.statements = statements;
        this.clock = clock;
    }

    WriteResult complete(Connection connection, CompleteRequest request) throws SQLException {
        long window = Micros.of(request.window());
        boolean ends = window != Micros.NEVER;
        int hour = clock.due(window);
        try (PreparedStatement statement = statements.prepare(connection, ends ? withEnd : forever)) {
            int next = 1;
            if (ends) {
                statement.setLong(next++, window);
            }
            statement.setInt(next++, hour);
            statement.setInt(next++, hour);
            statement.setBytes(next++, request.result());
            statement.setBytes(next++, KeyBytes.messageId(request.claim().key()));
            statement.setBytes(next++, KeyBytes.scope(request.claim().key()));
            statement.setString(next, request.claim().owner().value());
            return statement.executeUpdate() == 1 ? WriteResult.applied() : WriteResult.leaseLost();
        }
    }
}
