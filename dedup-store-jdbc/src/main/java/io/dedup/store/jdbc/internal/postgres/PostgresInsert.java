package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
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
 * Writes a single record that is expected to be new. Uses as few functions and steps as possible: the server prepares
 * each of them with every execution, which takes most of the time, especially if several transactions share a core and
 * its cache. Thread-safe.
 */
final class PostgresInsert {
    /**
     * Writes a record if its key has no row; otherwise returns nothing, and the caller uses another statement. Does not
     * read the row first, and reads the clock once. The purge hour is a parameter; see {@link PurgeClock}.
     *
     * <p>It therefore waits for a row that another session is changing. That can only be a claim with a lease in the
     * same scope, whose transaction is a single statement, or the end of a handler's transaction, and lasts no longer
     * than its timeouts allow. This statement sets no lock timeout, because it could not restore it without a row to
     * return.
     */
    private static final String INSERT = """
            INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until, completed_at,
                                 expires_at, purge_hour, fingerprint)
            SELECT ?, ?, 4, 1, 0, n.now, {no_lease}, n.now, {end}, ?, ?::text
            FROM (SELECT {clock} AS now WHERE pg_try_advisory_xact_lock(?){limits} OFFSET 0) n
            ON CONFLICT (message_id, scope) DO NOTHING
            RETURNING token
            """;

    /** The statement's start by a timestamp's bytes, which count microseconds since 2000. */
    private static final String START_BY_BYTES = "timestamptz_send(statement_timestamp())::bigint + 946684800000000";

    private final String withEnd;
    private final String forever;
    private final KeyFormat keys;
    private final PostgresLimits limits;
    private final Statements statements;
    private final RecordLock lock;
    private final PurgeClock clock;

    PostgresInsert(
            JdbcSettings settings, PostgresLimits limits, Statements statements, RecordLock lock, PurgeClock clock) {
        String start = limits.version() >= ClockedSql.BYTES_TO_NUMBER ? START_BY_BYTES : "{start}";
        String sql = PostgresSql.of(
                settings, INSERT.replace("{limits}", limits.and("?")).replace("{clock}", start));
        this.withEnd = sql.replace("{end}", "n.now + ?");
        this.forever = sql.replace("{end}", Long.toString(Micros.NEVER));
        this.keys = settings.keys();
        this.limits = limits;
        this.statements = statements;
        this.lock = lock;
        this.clock = clock;
    }

    /**
     * Writes the record; null if the key has, or had, a row.
     *
     * @param limit for the transaction, in PostgreSQL's format
     */
    @Nullable
    RecordResult write(Connection connection, RecordRequest request, String limit) throws SQLException {
        long window = Micros.of(request.window());
        boolean ends = window != Micros.NEVER;
        try (PreparedStatement statement = statements.prepare(connection, ends ? withEnd : forever)) {
            byte[] id = keys.messageId(request.key());
            byte[] scope = keys.scope(request.key());
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
