package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Claims a single message that has no record, or whose record is done or in flight elsewhere: what nearly every claim meets. A
 * record that was released, has expired, is dead or is the caller's own, and a lost race, need {@link PostgresSql#CLAIM}.
 *
 * <p>Like the full statement, it reads what blocks the record before it inserts: an insert waits for a row that another session
 * is changing, such as one that a handler's transaction has completed and not committed yet. Thread-safe.
 */
final class PostgresFirstClaim {
    private static final String CLAIM = """
            WITH blocked AS MATERIALIZED (
                SELECT t.state, t.attempt, t.lease_until - {now} AS remaining, t.completed_at, t.fingerprint, t.result
                FROM {table} t
                WHERE t.message_id = ? AND t.scope = ?
                    AND (t.state = 4 AND t.expires_at > {now}
                         OR t.state IN (1, 2) AND t.owner <> ? AND t.lease_until > {now})),
            won AS (
                INSERT INTO {table} (message_id, scope, state, owner, attempt, deaths, token, lease_until, expires_at,
                                     purge_hour, fingerprint)
                SELECT ?, ?, 1, ?, 1, 0, n.now, n.now + ?, n.now + ?, ?, ?::text
                FROM (SELECT {now} AS now FROM set_config('lock_timeout', '{lock_timeout}ms', true)
                      WHERE NOT EXISTS (SELECT FROM blocked) OFFSET 0) n
                ON CONFLICT (message_id, scope) DO NOTHING
                RETURNING token)
            SELECT token, NULL::smallint, NULL::int, NULL::bigint, NULL::bigint, NULL::text, NULL::bytea FROM won
            UNION ALL
            SELECT NULL, state, attempt, remaining, completed_at, fingerprint, result FROM blocked
            """;

    private final String sql;
    private final long retention;
    private final Statements statements;
    private final PurgeClock clock;

    PostgresFirstClaim(JdbcSettings settings, Statements statements, PurgeClock clock) {
        this.sql = PostgresSql.of(
                settings,
                CLAIM.replace(
                        "{lock_timeout}", Long.toString(settings.lockTimeout().toMillis())));
        this.retention = settings.retentionMicros();
        this.statements = statements;
        this.clock = clock;
    }

    /**
     * Claims.
     *
     * @param hours how many hours from now the record will be due for the purge
     * @return null if the other statement has to decide
     */
    @Nullable
    ClaimResult claim(Connection connection, ClaimRequest request, int hours) throws SQLException {
        byte[] id = KeyBytes.messageId(request.key());
        byte[] scope = KeyBytes.scope(request.key());
        String owner = request.owner().value();
        long lease = Micros.of(request.lease());
        try (PreparedStatement statement = statements.prepare(connection, sql)) {
            statement.setBytes(1, id);
            statement.setBytes(2, scope);
            statement.setString(3, owner);
            statement.setBytes(4, id);
            statement.setBytes(5, scope);
            statement.setString(6, owner);
            statement.setLong(7, lease);
            statement.setLong(8, lease + retention);
            statement.setInt(9, clock.in(hours));
            statement.setString(10, Row.text(request.fingerprint()));
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? answer(result, request) : null;
            }
        }
    }

    private ClaimResult answer(ResultSet result, ClaimRequest request) throws SQLException {
        long token = result.getLong(1);
        if (!result.wasNull()) {
            clock.seen(token);
            return new ClaimResult.Acquired(1, 0, false, token);
        }
        Row row = new Row(
                Phase.of(result.getInt(2)),
                null,
                result.getInt(3),
                0,
                0,
                0,
                result.getLong(5),
                0,
                result.getString(6),
                result.getBytes(7));
        return LeaseTransitions.blocked(row, request, result.getLong(4));
    }
}
