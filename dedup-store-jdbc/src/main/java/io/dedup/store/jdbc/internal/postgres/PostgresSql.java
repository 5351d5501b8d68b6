package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Micros;

/**
 * The statements. {@code {now}} is the time at which it is evaluated, also after a wait for a lock; {@code {start}} is
 * the start of the statement, which is the same everywhere and used if several columns must be consistent.
 * {@code {no_lease}} is the lease of a record that is done: tables with digests keep nothing there, to save space.
 * {@code {never}} is the end of a record that never expires, {@code {last_hour}} the last hour that its column can
 * hold.
 */
final class PostgresSql {
    static final String CLOCK_QUERY = clocks("SELECT {now} AS store_time");

    private static final String HOUR = "3600000000";

    /**
     * Reads what blocks a claim before it writes: a record that is done, or in flight elsewhere, is neither locked nor
     * waited for. Only what {@code won} returns is a claim, because the read may be older than the write. A request in
     * neither result has lost a race between the two, and is repeated.
     *
     * <p>{@code excluded.lease_until - excluded.token} is the length of the lease. A death is counted if its owner was alone; a
     * dead row without an owner has kept that in {@code completed_at}, see {@code Phase#UNCOUNTED}.
     */
    static final String CLAIM = """
            WITH req AS MATERIALIZED ({requests}),
            blocked AS MATERIALIZED (
                SELECT r.ord, t.state, t.attempt, t.lease_until - {now} AS remaining, t.completed_at,
                       t.fingerprint, t.result
                FROM req r JOIN {table} t ON t.message_id = r.message_id AND t.scope = r.scope
                WHERE t.state = 4 AND t.expires_at > {now}
                   OR t.state IN (1, 2) AND t.owner <> r.owner AND t.lease_until > {now}),
            won AS (
                INSERT INTO {table} AS t (message_id, scope, state, owner, attempt, deaths, token, lease_until,
                                          expires_at, purge_hour, fingerprint)
                SELECT n.message_id, n.scope, 1, n.owner, 1, 0, n.now, n.now + n.lease,
                       n.now + n.lease + {retention}, least(n.now / {hour} + ?, {last_hour})::int, n.fingerprint
                FROM (SELECT q.*, {now} AS now
                      FROM (SELECT * FROM req r
                            WHERE r.ord NOT IN (SELECT b.ord FROM blocked b)
                            ORDER BY r.ord) q
                      OFFSET 0) n
                ON CONFLICT (message_id, scope) DO UPDATE SET
                    state = CASE WHEN {renewed} THEN t.state WHEN {absent} OR t.state = 0 THEN 1 ELSE 2 END,
                    owner = excluded.owner,
                    attempt = CASE WHEN {renewed} THEN t.attempt WHEN {absent} THEN 1 ELSE t.attempt + 1 END,
                    deaths = CASE WHEN {renewed} THEN t.deaths WHEN {absent} THEN 0
                                  WHEN t.state = 0 OR {uncounted} THEN t.deaths ELSE t.deaths + 1 END,
                    token = CASE WHEN {renewed} THEN t.token ELSE greatest(t.token + 1, {now}) END,
                    lease_until = {now} + excluded.lease_until - excluded.token,
                    completed_at = CASE WHEN {renewed} THEN t.completed_at WHEN {absent} OR t.state = 0 THEN NULL
                                        WHEN {uncounted} THEN 1 END,
                    expires_at = {now} + excluded.lease_until - excluded.token + {retention},
                    purge_hour = greatest(t.purge_hour, excluded.purge_hour),
                    fingerprint = CASE WHEN {renewed} THEN t.fingerprint ELSE excluded.fingerprint END,
                    result = CASE WHEN {absent} THEN NULL ELSE t.result END
                WHERE t.state IN (0, 3) OR t.expires_at <= {now}
                   OR t.state IN (1, 2) AND (t.owner = excluded.owner OR t.lease_until <= {now})
                RETURNING t.message_id, t.scope, t.state, t.attempt, t.deaths, t.token, t.result)
            SELECT 0::bigint AS ord, message_id, scope, state, attempt, deaths, token,
                   NULL::bigint AS remaining, NULL::bigint AS completed_at, NULL::text AS fingerprint, result
            FROM won
            UNION ALL
            SELECT ord, NULL, NULL, state, attempt, NULL, NULL, remaining, completed_at, fingerprint, result
            FROM blocked
            """.replace(
                    "{renewed}", "t.state IN (1, 2) AND t.owner = excluded.owner AND t.lease_until > {start}")
            .replace("{absent}", "(t.state = 4 OR t.expires_at <= {start})")
            .replace("{uncounted}", "coalesce(right(t.owner, 1) <> '!', t.completed_at IS NOT NULL)")
            .replace("{hour}", HOUR);

    /** The rows that an owner may change. */
    private static final String MINE =
            "t.message_id = r.message_id AND t.scope = r.scope AND t.owner = r.owner AND t.state IN (1, 2)"
                    + " AND t.expires_at > {now}";

    private static final String WRITE =
            "UPDATE {table} t SET {set} FROM ({requests}) r WHERE " + MINE + " RETURNING r.ord";

    /**
     * Keeps the purge hour unless it is much too late; see the DDL. Reads the clock once per row for all columns,
     * because that costs as much as the rest of them.
     */
    static final String COMPLETE = WRITE.replace("{requests}", "SELECT q.*, {now} AS now FROM ({requests}) q OFFSET 0")
            .replace("{set}", """
                            state = 4, owner = NULL, deaths = 0, lease_until = {no_lease}, completed_at = r.now,
                            expires_at = CASE WHEN {forever} THEN {never} ELSE r.now + r.length END,
                            purge_hour = CASE WHEN t.purge_hour BETWEEN {ends} AND {ends} + 2 THEN t.purge_hour
                                              ELSE {ends} END,
                            result = r.result""")
            .replace("{ends}", hourOf("{forever}", "(r.now + r.length)"))
            .replace("{forever}", "r.length = {never}");

    /**
     * Modes as in {@code ReleaseNumber}. The purge hour was set for the window, which may be far longer than the
     * retention of an attempt, or infinite.
     */
    static final String RELEASE = WRITE.replace("{set}", """
            state = CASE WHEN r.mode = 1 AND t.state = 2 THEN 3 ELSE 0 END, owner = NULL,
            attempt = CASE WHEN r.mode = 0 THEN t.attempt ELSE t.attempt - 1 END,
            deaths = CASE WHEN r.mode = 2 THEN 0 WHEN r.mode = 1 AND t.state = 2 AND t.completed_at IS NULL THEN t.deaths - 1
                          ELSE t.deaths END,
            completed_at = CASE WHEN r.mode = 1 AND t.state = 2 THEN t.completed_at END,
            lease_until = {now}, expires_at = {now} + {retention},
            purge_hour = least(t.purge_hour, ({now} + {retention}) / {hour} + 48)::int""").replace("{hour}", HOUR);

    /** The column of results has the steps of a record that is unfinished. */
    static final String STEP = WRITE.replace("{set}", "result = coalesce(t.result, ''::bytea) || r.entry");

    private static final String LEASE = "lease_until = {now} + r.lease, expires_at = {now} + r.lease + {retention}";

    static final String RENEW = WRITE.replace("{set}", LEASE);

    /**
     * Distinguishes the three cases of a heartbeat: renewed, still owned but locked by another session (and whether its
     * lease has expired), lost.
     */
    static final String RENEW_UNLOCKED = """
            WITH req AS MATERIALIZED ({requests}),
            free AS MATERIALIZED (
                SELECT r.ord, r.message_id, r.scope, r.lease
                FROM req r JOIN {table} t ON {mine}
                ORDER BY r.ord
                FOR UPDATE OF t SKIP LOCKED),
            written AS (
                UPDATE {table} t SET {lease} FROM free r
                WHERE t.message_id = r.message_id AND t.scope = r.scope
                RETURNING r.ord)
            SELECT ord, true AS written, false AS late FROM written
            UNION ALL
            SELECT r.ord, false, t.lease_until <= {now} FROM req r JOIN {table} t ON {mine}
            WHERE r.ord NOT IN (SELECT w.ord FROM written w)
            """.replace("{mine}", MINE).replace("{lease}", LEASE);

    /**
     * The rows that are due. Uses the hour of the statement's start: a clock that advances cannot limit a search of the
     * index, and each purge would read all of it, including records that never expire.
     */
    static final String DUE = """
            SELECT tableoid::text, ctid::text FROM {table} WHERE purge_hour <= {start} / {hour} ORDER BY purge_hour LIMIT ?
            """.replace("{hour}", HOUR);

    /**
     * Removes expired records, and corrects the purge hour of records that were checked too early. Finds the rows by
     * the places from {@link #DUE}, where other rows may be by now: therefore each is checked again, without the index,
     * which {@code + 0} prevents. Rows locked here cannot move, so they are removed and changed by their place as well,
     * because using the key takes twice as long. Places are unique only within a partition, so all are from the same
     * one.
     */
    static final String PURGE = """
            WITH due AS MATERIALIZED (
                SELECT ctid AS place, tableoid AS part, expires_at <= {now} AS expired
                FROM {table}
                WHERE ctid = ANY (CAST(? AS tid[])) AND tableoid = CAST(? AS oid) AND purge_hour + 0 <= {start} / {hour}
                FOR UPDATE SKIP LOCKED),
            kept AS (
                UPDATE {table} t SET purge_hour = least(t.expires_at / {hour} + 1, {last_hour})::int
                WHERE t.ctid = ANY (ARRAY(SELECT place FROM due WHERE NOT expired))
                    AND t.tableoid = (SELECT max(part) FROM due)),
            removed AS (
                DELETE FROM {table} t
                WHERE t.ctid = ANY (ARRAY(SELECT place FROM due WHERE expired))
                    AND t.tableoid = (SELECT max(part) FROM due) AND t.expires_at <= {now}
                RETURNING 1)
            SELECT (SELECT count(*) FROM due), (SELECT count(*) FROM removed)
            """.replace("{hour}", HOUR);

    private PostgresSql() {}

    /**
     * An expression for the purge hour of a row; see {@link PurgeClock}.
     *
     * @param forever a condition
     * @param end an expression, in microseconds; not evaluated if {@code forever} is true
     */
    static String hourOf(String forever, String end) {
        return "(CASE WHEN " + forever + " THEN " + PurgeClock.NEVER + " ELSE " + end + " / " + HOUR + " + 1 END)::int";
    }

    /** The statement for one store. */
    static String of(JdbcSettings settings, String statement) {
        String retention = Long.toString(settings.retentionMicros());
        return settings.table()
                .in(clocks(statement)
                        .replace("{retention}", retention)
                        .replace("{no_lease}", settings.keys() == KeyFormat.DIGEST ? "NULL::bigint" : "0")
                        .replace("{never}", Long.toString(Micros.NEVER))
                        .replace("{last_hour}", Integer.toString(Integer.MAX_VALUE)));
    }

    /** {@code date_part} costs half of {@code extract}, and is exact to the microsecond for centuries to come. */
    private static String clocks(String sql) {
        return sql.replace("{now}", "(date_part('epoch', clock_timestamp()) * 1000000)::bigint")
                .replace("{start}", "(date_part('epoch', statement_timestamp()) * 1000000)::bigint");
    }
}
