package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;

/**
 * The statements that write records as done in a handler's transaction, for one record or for many.
 *
 * <p>They first read what blocks a record: a record that is done, or in flight with a lease, is neither locked nor
 * waited for. Of the others, they write those whose advisory lock is free, so that no transaction waits for another one
 * that writes the same record. The lock is tried once for each key and statement, before the row is touched, and held
 * until the end of the transaction. Only what the write returns is written. A rival that ended between the read and the
 * lock leaves a row that cannot be claimed, and a request without a result: the request is repeated, and then sees the
 * row.
 *
 * <p>A single record can be inserted without checking for other rows, which takes about a third less of the server's
 * time; see {@link PostgresInsert}.
 *
 * <p>The statements also limit the duration of the transaction, unless an operator has limited it already. This costs
 * no round trip, whereas a timeout of Spring makes the driver start a timer for every statement of the handler, which
 * can cost as much as the statement.
 */
final class PostgresRecordSql {
    /**
     * The facts about a server: the number of locks that all sessions can hold together, the time, and
     * {@link PostgresLimits}.
     */
    static final String SERVER = "SELECT current_setting('max_locks_per_transaction')::bigint"
            + " * (current_setting('max_connections')::bigint + current_setting('max_prepared_transactions')::bigint), {now}, "
            + PostgresLimits.COLUMNS;

    private static final String BLOCKED =
            "(b.state = 4 AND b.expires_at > {now} OR b.state IN (1, 2) AND b.lease_until > {now})";

    private static final String COLUMNS =
            "message_id, scope, state, attempt, deaths, token, lease_until, completed_at, expires_at, purge_hour, fingerprint";

    /** The times, derived from {@code n.now} and {@code n.length}. */
    private static final String TIMES = """
            4, 1, 0, n.now, {no_lease}, n.now,
            CASE WHEN n.length = {never} THEN n.length ELSE n.now + n.length END,
            """ + PostgresSql.hourOf("n.length = {never}", "(n.now + n.length)");

    private static final String INSTEAD = """
            ON CONFLICT (message_id, scope) DO UPDATE SET
                state = 4, owner = NULL, attempt = 1, deaths = 0, token = greatest(t.token + 1, {now}),
                lease_until = {no_lease}, completed_at = {now},
                expires_at = CASE WHEN excluded.expires_at = {never} THEN excluded.expires_at
                                  ELSE {now} + excluded.expires_at - excluded.completed_at END,
                purge_hour = CASE WHEN t.purge_hour BETWEEN excluded.purge_hour AND excluded.purge_hour + 2
                                  THEN t.purge_hour ELSE excluded.purge_hour END,
                fingerprint = excluded.fingerprint, result = NULL
            WHERE t.state IN (0, 3) OR t.expires_at <= {now} OR t.state IN (1, 2) AND t.lease_until <= {now}""";

    /** The columns of a result, as {@link PostgresRecords} reads them. */
    private static final String ANSWER =
            "q.state, q.attempt, q.lease_until - q.now, q.completed_at, q.expires_at, q.expires_at - q.now, q.seen, q.result";

    /**
     * Scalars in the places where they are used, because a source of requests like that of the other statements costs
     * as much as the index. Sets the store's lock timeout, and restores that of the handler's statements.
     */
    private static final String ONE = """
            WITH tried AS MATERIALIZED (
                SELECT b.state, b.attempt, b.lease_until, b.completed_at, b.expires_at, b.fingerprint AS seen, b.result,
                       current_setting('lock_timeout') AS waits,
                       CASE WHEN b.state IS NULL
                            THEN pg_try_advisory_xact_lock(?){limits}
                                 AND set_config('lock_timeout', '{lock_timeout}ms', true) <> ''
                       END AS locked,
                       {now} AS now
                FROM (SELECT ?::text AS most OFFSET 0) lasts
                LEFT JOIN {table} b ON b.message_id = ? AND b.scope = ? AND {blocked}),
            won AS (
                INSERT INTO {table} AS t ({columns})
                SELECT ?, ?, {times}, ?
                FROM (SELECT now, ?::bigint AS length FROM tried WHERE locked OFFSET 0) n
                {instead}
                RETURNING t.token)
            SELECT w.token, q.locked, {answer},
                   CASE WHEN q.locked THEN set_config('lock_timeout', q.waits, true) END
            FROM tried q LEFT JOIN won w ON true
            """;

    /** Planned as {@link PostgresRequests} says. */
    private static final String MANY = """
            WITH bounded AS MATERIALIZED (SELECT true{limits} FROM (SELECT ?::text AS most OFFSET 0) lasts),
            tried AS MATERIALIZED (
                SELECT r.*, b.state, b.attempt, b.lease_until, b.completed_at, b.expires_at, b.fingerprint AS seen,
                       b.result, CASE WHEN b.state IS NULL THEN pg_try_advisory_xact_lock(r.lock_id) END AS locked,
                       {now} AS now
                FROM ({requests}) r
                LEFT JOIN {table} b ON b.message_id = r.message_id AND b.scope = r.scope AND {blocked}
                WHERE (SELECT count(*) FROM bounded) = 1),
            won AS (
                INSERT INTO {table} AS t ({columns})
                SELECT n.message_id, n.scope, {times}, n.fingerprint
                FROM (SELECT * FROM tried WHERE locked ORDER BY ord) n
                {instead}
                RETURNING t.token, t.message_id, t.scope)
            SELECT token, NULL::boolean AS locked, NULL::int AS state, NULL::int AS attempt, NULL::bigint AS remaining,
                   NULL::bigint AS completed_at, NULL::bigint AS expires_at, NULL::bigint AS left_over,
                   NULL::text AS fingerprint, NULL::bytea AS result, NULL::bigint AS ord, message_id, scope
            FROM won
            UNION ALL
            SELECT NULL, q.locked, {answer}, q.ord, NULL, NULL FROM tried q WHERE q.locked IS NOT TRUE
            """;

    /** What blocks a single record, and nothing else: most records that aren't new are done. */
    private static final String BLOCK = """
            SELECT NULL::bigint, false, {answer}
            FROM (SELECT b.*, b.fingerprint AS seen, {now} AS now FROM {table} b
                  WHERE b.message_id = ? AND b.scope = ? AND {blocked}) q
            """;

    private PostgresRecordSql() {}

    /** The statement that only reads what blocks a single record. */
    static String block(JdbcSettings settings, PostgresLimits limits) {
        return of(settings, BLOCK, limits);
    }

    static String one(JdbcSettings settings, PostgresLimits limits) {
        return of(
                settings,
                ONE.replace(
                        "{lock_timeout}", Long.toString(settings.lockTimeout().toMillis())),
                limits);
    }

    /** The statement for many requests, with {@code {requests}} in place of the source. */
    static String many(JdbcSettings settings, PostgresLimits limits) {
        return of(settings, MANY, limits);
    }

    private static String of(JdbcSettings settings, String statement, PostgresLimits limits) {
        return PostgresSql.of(
                settings,
                statement
                        .replace("{limits}", limits.and("lasts.most"))
                        .replace("{columns}", COLUMNS)
                        .replace("{times}", TIMES)
                        .replace("{instead}", INSTEAD)
                        .replace("{answer}", ANSWER)
                        .replace("{blocked}", BLOCKED));
    }
}
