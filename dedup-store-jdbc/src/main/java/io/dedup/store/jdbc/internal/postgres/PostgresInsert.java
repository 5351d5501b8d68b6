package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyBytes;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a single record that is expected to be new. Says nothing but that, with as few functions and steps as it can: the server
 * makes each of them ready with every execution, which is where its time goes, the more so when several transactions share a
 * core and its cache. Thread-safe.
 */
final class PostgresInsert {
    /**
     * Writes a record if there is no row of its key: who is told nothing asks by another statement. Doesn't look for the row
     * first, and reads the clock once. When the purge is to look at it is a parameter: see {@link PurgeClock}.
     *
     * <p>So it waits for a row that somebody else is about to change. That can only be a claim by a lease, on one scope with
     * this: its transaction is a statement, or the end of a handler's, and lasts as long as its time-outs let it. This sets no
     * time-out for locks, which it couldn't put back without a row to return.
     */
    private static final String INSERT = """
            INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until, completed_at,
                                 expires_at, purge_hour, fingerprint)
            SELECT ?, ?, 4, 1, 0, n.now, 0, n.now, {end}, ?, ?::text
            FROM (SELECT {clock} AS now WHERE pg_try_advisory_xact_lock(?){limits} OFFSET 0) n
            ON CONFLICT (message_id, scope) DO NOTHING
            RETURNING token
            """;

    /** Since when a time stamp's bytes can be cast to a number, which costs less than {@code date_part}. */
    private static final int BYTES_TO_NUMBER = 18;

    /** As a time stamp's bytes have it: microseconds since 2000. */
    private static final String START_BY_BYTES = "timestamptz_send(statement_timestamp())::bigint + 946684800000000";

    private final String withEnd;
    private final String forever;
    private final PostgresLimits limits;
    private final Statements statements;
    private final RecordLock lock;
    private final PurgeClock clock;

    PostgresInsert(
            JdbcSettings settings, PostgresLimits limits, Statements statements, RecordLock lock, PurgeClock clock) {
        String start = limits.version() >= BYTES_TO_NUMBER ? START_BY_BYTES : "{start}";
        String sql = PostgresSql.of(
                settings, INSERT.replace("{limits}", limits.and("?")).replace("{clock}", start));
        this.withEnd = sql.replace("{end}", "n.now + ?");
        this.forever = sql.replace("{end}", Long.toString(Micros.NEVER));
        this.limits = limits;
        this.statements = statements;
        this.lock = lock;
        this.clock = clock;
    }

    /**
     * The record; null where somebody has the key, or has had it.
     *
     * @param limit as PostgreSQL reads it, for the transaction
     */
    @Nullable
    RecordResult write(Connection connection, RecordRequest request, String limit) throws SQLException {
        long window = Micros.of(request.window());
        boolean ends = window != Micros.NEVER;
        try (PreparedStatement statement = statements.prepare(connection, ends ? withEnd : forever)) {
            byte[] id = KeyBytes.messageId(request.key());
            byte[] scope = KeyBytes.scope(request.key());
            statement.setBytes(1, id);
            statement.setBytes(2, scope);
            int next = 3;
            if (ends) {
                statement.setLong(next++, window);
            }
            statement.setInt(next++, clock.due(window));
            statement.setString(next++, Row.text(request.fingerprint()));
            statement.setLong(next++, lock.of(scope, id));
            for (int i = 0; i < limits.count(); i++) {
                statement.setString(next++, limit);
            }
            try (ResultSet result = statement.executeQuery()) {
                return result.next() ? written(result.getLong(1)) : null;
            }
        }
    }

    /** A new row's token is the server's time. */
    private RecordResult written(long token) {
        clock.seen(token);
        return new RecordResult.Written(token);
    }
}
