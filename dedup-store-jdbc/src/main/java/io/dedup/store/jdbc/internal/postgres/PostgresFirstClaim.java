package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.jdbc.internal.connection.StatementWatch;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Phase;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
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
 * <p>Like the full statement, it reads the row before it inserts: an insert waits for a row that another session is changing, such
 * as one that a handler's transaction has completed and not committed yet. Whether the row blocks the claim is decided here, by
 * the server's time that comes with it: each condition costs the server more than sending the columns. Thread-safe.
 */
final class PostgresFirstClaim {
    private static final String CLAIM = """
            WITH seen AS MATERIALIZED (
                SELECT NULL::bigint AS token, state, attempt, owner, lease_until, completed_at, expires_at, fingerprint, result,
                       {now} AS now
                FROM {table} WHERE message_id = ? AND scope = ?),
            won AS (
                INSERT INTO {table} (message_id, scope, state, owner, attempt, deaths, token, lease_until, expires_at,
                                     purge_hour{fingerprint_column})
                SELECT ?, ?, 1, ?, 1, 0, n.now, n.now + ?, n.now + ?, ?{fingerprint}
                FROM (SELECT {now} AS now
                      WHERE NOT EXISTS (SELECT FROM seen) AND set_config('lock_timeout', '{lock_timeout}ms', true) <> ''
                      OFFSET 0) n
                ON CONFLICT (message_id, scope) DO NOTHING
                RETURNING token, state, attempt, owner, lease_until, completed_at, expires_at, fingerprint, result,
                          token AS now)
            SELECT * FROM won
            UNION ALL
            SELECT * FROM seen
            """;

    /** Sets no JDBC timeout; see {@link StatementWatch}. */
    private static final Statements STATEMENTS = new Statements(0);

    private final ClockedSql plain;
    private final ClockedSql withFingerprint;
    private final KeyFormat keys;
    private final long retention;
    private final StatementWatch watch;
    private final PurgeClock clock;

    PostgresFirstClaim(JdbcSettings settings, StatementWatch watch, PurgeClock clock) {
        ClockedSql sql = ClockedSql.of(
                settings,
                CLAIM.replace(
                        "{lock_timeout}", Long.toString(settings.lockTimeout().toMillis())));
        this.plain = sql.replace("{fingerprint_column}", "").replace("{fingerprint}", "");
        this.withFingerprint =
                sql.replace("{fingerprint_column}", ", fingerprint").replace("{fingerprint}", ", ?::text");
        this.keys = settings.keys();
        this.retention = settings.retentionMicros();
        this.watch = watch;
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
        byte[] id = keys.messageId(request.key());
        byte[] scope = keys.scope(request.key());
        String fingerprint = Row.text(request.fingerprint());
        long lease = Micros.of(request.lease());
        String sql = (fingerprint == null ? plain : withFingerprint).on(connection);
        try (PreparedStatement statement = STATEMENTS.prepare(connection, sql);
                StatementWatch.Watched ignored = watch.begin(statement)) {
            statement.setBytes(1, id);
            statement.setBytes(2, scope);
            statement.setBytes(3, id);
            statement.setBytes(4, scope);
            statement.setString(5, request.owner().value());
            statement.setLong(6, lease);
            statement.setLong(7, lease + retention);
            statement.setInt(8, clock.in(hours));
            if (fingerprint != null) {
                statement.setString(9, fingerprint);
            }
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? answer(result, request) : null;
            }
        }
    }

    private @Nullable ClaimResult answer(ResultSet result, ClaimRequest request) throws SQLException {
        long token = result.getLong(1);
        if (!result.wasNull()) {
            clock.seen(token);
            return new ClaimResult.Acquired(1, 0, false, token);
        }
        Row row = new Row(
                Phase.of(result.getInt(2)),
                result.getString(4),
                result.getInt(3),
                0,
                0,
                result.getLong(5),
                result.getLong(6),
                result.getLong(7),
                result.getString(8),
                result.getBytes(9));
        return LeaseTransitions.refusal(row, request, result.getLong(10));
    }
}
