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
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes records that are expected to be new, a single one or those of a batch; leaves all others to further statements.
 * Thread-safe.
 */
final class PostgresInsert {
    /**
     * Writes a record if its key has no row; otherwise returns nothing, and the caller uses another statement. Uses as few
     * functions and steps as possible: the server prepares each of them with every execution, which takes most of the time,
     * especially if several transactions share a core and its cache. Does not read the row first. The clock is the
     * statement's, the same in each place. The purge hour is a parameter; see {@link PurgeClock}.
     *
     * <p>It therefore waits for a row that another session is changing. That can only be a claim with a lease in the
     * same scope, whose transaction is a single statement, or the end of a handler's transaction, and lasts no longer
     * than its timeouts allow. This statement sets no lock timeout, because it could not restore it without a row to
     * return.
     */
    private static final String INSERT = """
            INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until, completed_at,
                                 expires_at, purge_hour, fingerprint)
            SELECT ?, ?, 4, 1, 0, {clock}, {no_lease}, {clock}, {end}, ?, ?::text
            WHERE pg_try_advisory_xact_lock(?){limits}
            ON CONFLICT (message_id, scope) DO NOTHING
            RETURNING token
            """;

    /**
     * The same for many of one topic. Looks for rows first, so that a batch doesn't wait for a completion that isn't committed.
     * Tries a lock only where it found no row, and before it touches one. Reads the clock for each record, after it has
     * waited for the one before. Inserts in the order of the requests, as every session does. Planned as
     * {@link PostgresRequests} says: with {@code NOT EXISTS}, or a scope that is compared with a parameter, a plan made while the
     * table is nearly empty reads all of it for each record.
     */
    private static final String INSERT_ALL = """
            INSERT INTO {table} (message_id, scope, state, attempt, deaths, token, lease_until, completed_at, expires_at,
                                 purge_hour)
            SELECT n.message_id, ?, 4, 1, 0, n.now, {no_lease}, n.now, {end}, ?
            FROM (SELECT q.message_id, {now} AS now
                  FROM (SELECT r.message_id, r.lock_id, b.state
                        FROM (SELECT u.*, (SELECT ?::bytea) AS scope
                              FROM unnest((SELECT ?::bytea[] WHERE true{limits}), (SELECT ?::bigint[]))
                                  WITH ORDINALITY AS u(message_id, lock_id, ord)
                              LIMIT (SELECT {most})) r
                        LEFT JOIN {table} b ON b.message_id = r.message_id AND b.scope = r.scope
                        ORDER BY r.ord
                        OFFSET 0) q
                  WHERE CASE WHEN q.state IS NULL THEN pg_try_advisory_xact_lock(q.lock_id) END
                  OFFSET 0) n
            ON CONFLICT (message_id, scope) DO NOTHING
            RETURNING token, message_id
            """;

    /** The statement's start by a timestamp's bytes, which count microseconds since 2000. */
    private static final String START_BY_BYTES = "timestamptz_send(statement_timestamp())::bigint + 946684800000000";

    private final String withEnd;
    private final String forever;
    private final ClockedSql allWithEnd;
    private final ClockedSql allForever;
    private final KeyFormat keys;
    private final PostgresLimits limits;
    private final Statements one;
    private final Statements many;
    private final RecordLock lock;
    private final PurgeClock clock;

    /**
     * Creates the statements for one server.
     *
     * @param one prepares the statement for a single record
     * @param many prepares the statement for many
     */
    PostgresInsert(
            JdbcSettings settings,
            PostgresLimits limits,
            Statements one,
            Statements many,
            RecordLock lock,
            PurgeClock clock) {
        String start = limits.version() >= ClockedSql.BYTES_TO_NUMBER ? START_BY_BYTES : "{start}";
        String sql = PostgresSql.of(
                settings, INSERT.replace("{limits}", limits.and("?")).replace("{clock}", start));
        this.withEnd = sql.replace("{end}", PostgresSql.of(settings, start) + " + ?");
        this.forever = sql.replace("{end}", Long.toString(Micros.NEVER));
        String all =
                INSERT_ALL.replace("{limits}", limits.and("?")).replace("{most}", Integer.toString(Integer.MAX_VALUE));
        this.allWithEnd = ClockedSql.of(settings, all.replace("{end}", "n.now + ?"));
        this.allForever = ClockedSql.of(settings, all.replace("{end}", "{never}"));
        this.keys = settings.keys();
        this.limits = limits;
        this.one = one;
        this.many = many;
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
        try (PreparedStatement statement = one.prepare(connection, ends ? withEnd : forever)) {
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

    /** Whether the requests have what the statement for many takes once for all of them. */
    static boolean fits(List<RecordRequest> requests) {
        RecordRequest first = requests.get(0);
        for (RecordRequest request : requests) {
            if (request.fingerprint() != null
                    || !request.window().equals(first.window())
                    || !request.key().scope().equals(first.key().scope())) {
                return false;
            }
        }
        return true;
    }

    /**
     * Writes the records.
     *
     * @param requests those that {@link #fits} accepts, in the order in which every session touches them
     * @param limit for the transaction, in PostgreSQL's format
     * @return null for each request whose key has, or had, a row, or is in flight elsewhere
     */
    List<@Nullable RecordResult> writeAll(Connection connection, List<RecordRequest> requests, String limit)
            throws SQLException {
        byte[] scope = keys.scope(requests.get(0).key());
        long window = Micros.of(requests.get(0).window());
        boolean ends = window != Micros.NEVER;
        byte[][] ids = new byte[requests.size()][];
        Long[] locks = new Long[ids.length];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = keys.messageId(requests.get(i).key());
            locks[i] = lock.of(scope, ids[i]);
        }
        String sql = (ends ? allWithEnd : allForever).on(connection);
        try (PreparedStatement statement = many.prepare(connection, sql)) {
            int next = 1;
            statement.setBytes(next++, scope);
            if (ends) {
                statement.setLong(next++, window);
            }
            statement.setInt(next++, clock.due(window));
            statement.setBytes(next++, scope);
            statement.setArray(next++, connection.createArrayOf("bytea", ids));
            for (int i = 0; i < limits.count(); i++) {
                statement.setString(next++, limit);
            }
            statement.setArray(next, connection.createArrayOf("bigint", locks));
            try (ResultSet result = statement.executeQuery()) {
                return Arrays.asList(written(result, ids));
            }
        }
    }

    /** The rows come in the order of the requests. */
    private @Nullable RecordResult[] written(ResultSet result, byte[][] ids) throws SQLException {
        @Nullable RecordResult[] answers = new RecordResult[ids.length];
        int position = 0;
        while (result.next()) {
            byte[] id = result.getBytes(2);
            while (position < ids.length && !Arrays.equals(ids[position], id)) {
                position++;
            }
            if (position == ids.length) {
                throw new SQLException("the database returned a record that was not requested");
            }
            answers[position] = written(result.getLong(1));
        }
        return answers;
    }

    /** A new row's token is the server's time. */
    private RecordResult written(long token) {
        clock.seen(token);
        return new RecordResult.Written(token);
    }
}
