package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Micros;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The statements that MySQL 8 and MariaDB share. */
final class MySqlSql {
    /**
     * Microseconds since 1970 UTC at the time of evaluation, also after a wait for a lock. Only {@code SYSDATE}
     * advances within a statement, and it is local time, which is ambiguous at the end of daylight saving time. It is
     * therefore used only for the time since the statement's start; a difference of a quarter of an hour or more is
     * such a shift, not a wait.
     */
    static final String NOW = now("NOW(6)", "SYSDATE(6)");

    /**
     * The same for a statement that {@link #UTC} comes before: local time is UTC then, and has no daylight saving time. A
     * statement costs the server a third less with it.
     */
    private static final String UTC_NOW = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))";

    /** A setting in the limits that MariaDB takes with a statement. */
    static final String UTC = "time_zone = '+00:00'";

    /** The start of the statement, for statements that do not wait; four times as fast. */
    private static final String START = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))";

    static final String CLOCK_QUERY = "SELECT " + START + " AS store_time";

    private static final String NEVER = Long.toString(Micros.NEVER);

    /**
     * Claims a message that has no record, for MariaDB; the columns are set from left to right. A row that was there is assigned to
     * itself, which writes nothing, and returned.
     */
    static final String FIRST_CLAIM = """
            INSERT INTO {table}
                (message_id, scope, owner, token, lease_until, expires_at, fingerprint, write_mark, state, attempt, deaths)
            VALUES (?, ?, ?, {now}, token + ?, lease_until + {retention}, ?, ?, 1, 1, 0)
            ON DUPLICATE KEY UPDATE attempt = attempt
            RETURNING write_mark, token, state, attempt, lease_until, completed_at, expires_at, owner, fingerprint, result,
                {now}, message_id""";

    /** The same for several messages, see {@link MariaDbInserts}. */
    static final String FIRST_CLAIMS = """
            INSERT INTO {table}
                (message_id, scope, owner, token, lease_until, expires_at, fingerprint, write_mark, state, attempt, deaths)
            {rows}
            ON DUPLICATE KEY UPDATE attempt = attempt
            RETURNING {current}""";

    static final String FIRST_CLAIMS_ROW = "{message_id}, {scope}, {new_owner}, {now}, token + {lease},"
            + " lease_until + {retention}, {new_fingerprint}, {mark}, 1, 1, 0";

    /** The source of a claim with many requests: a table of parameters. */
    private static final String CLAIM_MANY = """
            (message_id, scope, state, owner, attempt, deaths, token, lease_until, expires_at, write_mark, fingerprint)
            SELECT r.message_id, r.scope, 1, r.new_owner, 1, 0, {now}, {now} + r.lease, {now} + r.lease + {retention},
                   r.mark, r.new_fingerprint
            FROM {requests} r""";

    /** The source of a claim with one request, whose columns are set from left to right. */
    private static final String CLAIM_ONE = """
            (message_id, scope, owner, token, lease_until, expires_at, fingerprint, write_mark, state, attempt, deaths)
            VALUES (?, ?, ?, {now}, token + ?, lease_until + {retention}, ?, ?, 1, 1, 0)""";

    private static final String CLAIM =
            """
            INSERT INTO {table} {source}
            ON DUPLICATE KEY UPDATE
                write_mark = CASE
                    WHEN state IN (1, 2) AND owner = r.new_owner AND lease_until > {now} THEN r.mark + 4
                    WHEN state = 4 AND expires_at > {now} OR state IN (1, 2) AND lease_until > {now} THEN write_mark
                    WHEN state = 4 OR expires_at <= {now} THEN r.mark + 1
                    WHEN state = 0 THEN r.mark + 2
                    WHEN RIGHT(owner, 1) = '!' OR state = 3 AND completed_at IS NULL THEN r.mark + 3
                    ELSE r.mark + 5 END,
                state = CASE {how} WHEN 1 THEN 1 WHEN 2 THEN 1 WHEN 3 THEN 2 WHEN 5 THEN 2 ELSE state END,
                attempt = CASE WHEN {how} = 1 THEN 1 WHEN {how} IN (2, 3, 5) THEN attempt + 1 ELSE attempt END,
                deaths = CASE {how} WHEN 1 THEN 0 WHEN 3 THEN deaths + 1 ELSE deaths END,
                token = CASE WHEN {how} IN (1, 2, 3, 5) THEN GREATEST(token + 1, {now}) ELSE token END,
                fingerprint = CASE WHEN {how} IN (1, 2, 3, 5) THEN r.new_fingerprint ELSE fingerprint END,
                owner = CASE WHEN {claimed} THEN r.new_owner ELSE owner END,
                completed_at = CASE {how} WHEN 5 THEN 1 WHEN 1 THEN NULL WHEN 2 THEN NULL WHEN 3 THEN NULL
                                          ELSE completed_at END,
                result = CASE {how} WHEN 1 THEN NULL ELSE result END,
                lease_until = CASE WHEN {claimed} THEN {now} + r.lease ELSE lease_until END,
                expires_at = CASE WHEN {claimed} THEN lease_until + {retention} ELSE expires_at END""".replace("{claimed}", "{how} BETWEEN 1 AND 5").replace("{how}", "write_mark - r.mark");

    private static final String RECORD_MANY = """
            (message_id, scope, state, owner, attempt, deaths, token, lease_until, completed_at, expires_at, write_mark,
             fingerprint)
            SELECT r.message_id, r.scope, 4, NULL, 1, 0, {now}, 0, {now},
                   CASE WHEN r.length = {never} THEN r.length ELSE {now} + r.length END,
                   r.mark, r.new_fingerprint
            FROM {requests} r""".replace("{never}", NEVER);

    private static final String RECORD_ONE = """
            (message_id, scope, token, completed_at, expires_at, fingerprint, write_mark, state, owner, attempt, deaths,
             lease_until)
            VALUES (?, ?, {start}, token, token + LEAST(?, {never} - token), ?, ?, 4, NULL, 1, 0, 0)""".replace("{never}", NEVER);

    /** See {@link #CLAIM}; the mark shows what this call has written. */
    private static final String RECORD = """
            INSERT INTO {table} {source}
            ON DUPLICATE KEY UPDATE
                write_mark = CASE
                    WHEN state = 4 AND expires_at > {now} OR state IN (1, 2) AND lease_until > {now} THEN write_mark
                    ELSE r.mark + 1 END,
                state = CASE WHEN {written} THEN 4 ELSE state END,
                owner = CASE WHEN {written} THEN NULL ELSE owner END,
                attempt = CASE WHEN {written} THEN 1 ELSE attempt END,
                deaths = CASE WHEN {written} THEN 0 ELSE deaths END,
                token = CASE WHEN {written} THEN GREATEST(token + 1, {now}) ELSE token END,
                lease_until = CASE WHEN {written} THEN 0 ELSE lease_until END,
                completed_at = CASE WHEN {written} THEN {now} ELSE completed_at END,
                expires_at = CASE WHEN {written} THEN {end} ELSE expires_at END,
                fingerprint = CASE WHEN {written} THEN r.new_fingerprint ELSE fingerprint END,
                result = CASE WHEN {written} THEN NULL ELSE result END""".replace("{written}", "(write_mark = r.mark + 1)");

    /** See {@link #FIRST_CLAIMS}. */
    static final String FIRST_RECORDS = """
            INSERT INTO {table}
                (message_id, scope, token, completed_at, expires_at, fingerprint, write_mark, state, owner, attempt, deaths,
                 lease_until)
            {rows}
            ON DUPLICATE KEY UPDATE attempt = attempt
            RETURNING {current}""";

    static final String FIRST_RECORDS_ROW = "{message_id}, {scope}, {start}, token, token + LEAST({length}, " + NEVER
            + " - token), {new_fingerprint}, {mark}, 4, NULL, 1, 0, 0";

    private static final String RECORD_COLUMNS = "message_id, scope, length, new_fingerprint, mark";

    /** The columns to read after {@link #record}. */
    static final String RECORDED = "{t}message_id, {t}scope, {t}state, {t}attempt, {t}token, {t}lease_until - {now},"
            + " {t}completed_at, {t}expires_at, {t}expires_at - {now}, {t}fingerprint, {t}result, {t}write_mark";

    /** See {@link #CLAIM}. A mark of 1 replaces an expired row, 2 a record in progress, 3 changes the times of one that is done. */
    private static final String IMPORT =
            """
            INSERT INTO {table}
                (message_id, scope, state, owner, attempt, deaths, token, lease_until, completed_at, expires_at, write_mark,
                 result)
            SELECT r.message_id, r.scope, 4, NULL, 0, 0, 0, 0, r.completed, r.ends, r.mark, r.new_result
            FROM {requests} r WHERE r.ends > {now}
            ON DUPLICATE KEY UPDATE
                write_mark = CASE
                    WHEN state IN (1, 2) AND lease_until > {now} THEN write_mark
                    WHEN state = 4 AND expires_at > {now} AND completed_at >= r.completed AND expires_at >= r.ends
                        THEN write_mark
                    WHEN expires_at <= {now} THEN r.mark + 1
                    WHEN state = 4 THEN r.mark + 3
                    ELSE r.mark + 2 END,
                state = CASE WHEN {written} THEN 4 ELSE state END,
                owner = CASE WHEN {written} THEN NULL ELSE owner END,
                attempt = CASE {how} WHEN 1 THEN 0 ELSE attempt END,
                deaths = CASE WHEN {written} THEN 0 ELSE deaths END,
                lease_until = CASE WHEN {written} THEN 0 ELSE lease_until END,
                completed_at = CASE {how} WHEN 3 THEN GREATEST(completed_at, r.completed) WHEN 2 THEN r.completed
                                          WHEN 1 THEN r.completed ELSE completed_at END,
                expires_at = CASE {how} WHEN 3 THEN GREATEST(expires_at, r.ends) WHEN 2 THEN r.ends
                                        WHEN 1 THEN r.ends ELSE expires_at END,
                fingerprint = CASE {how} WHEN 1 THEN NULL ELSE fingerprint END,
                result = CASE {how} WHEN 3 THEN COALESCE(result, r.new_result) WHEN 2 THEN r.new_result
                                    WHEN 1 THEN r.new_result ELSE result END""".replace("{written}", "{how} BETWEEN 1 AND 3").replace("{how}", "write_mark - r.mark");

    private static final String IMPORT_COLUMNS = "message_id, scope, completed, ends, new_result, mark";

    /** What {@link #importDone} has found, for servers that do not return it: a row for each request. */
    private static final String IMPORTED = """
            SELECT r.message_id, r.scope, t.state, t.lease_until > {now}, t.write_mark, r.ends <= {now}
            FROM {requests} r LEFT JOIN {table} t ON t.message_id = r.message_id AND t.scope = r.scope""";

    private static final String KEY_COLUMNS = "message_id, scope";

    private static final String CLAIM_COLUMNS = "message_id, scope, new_owner, lease, new_fingerprint, mark";

    /** MariaDB only. */
    static final String RETURNING =
            " RETURNING message_id, scope, state, attempt, deaths, token, lease_until - {now}, completed_at,"
                    + " fingerprint, result, write_mark";

    /** The assignments of a joined update have no order, so none may depend on another one. */
    static final String COMPLETE = "t.state = 4, t.owner = NULL, t.deaths = 0, t.lease_until = 0,"
            + " t.completed_at = {now}, t.result = r.result,"
            + " t.expires_at = CASE WHEN r.length = " + NEVER + " THEN r.length ELSE {now} + r.length END";

    /**
     * For MariaDB's update of one row, whose assignments run from left to right in the SQL mode that
     * {@code MySqlDialect} sets.
     */
    static final String COMPLETE_ONE = "t.state = 4, t.owner = NULL, t.deaths = 0, t.lease_until = 0,"
            + " t.completed_at = {now}, t.expires_at = t.completed_at + LEAST(?, " + NEVER + " - t.completed_at),"
            + " t.result = ?";

    /** For one request in any SQL mode: no assignment depends on another one. The window has an end. */
    static final String COMPLETE_FOR = "t.state = 4, t.owner = NULL, t.deaths = 0, t.lease_until = 0,"
            + " t.completed_at = {now}, t.expires_at = {now} + ?, t.result = ?";

    static final String COMPLETE_FOR_EVER = COMPLETE_FOR.replace("{now} + ?", NEVER);

    /**
     * Modes as in {@code ReleaseNumber}; state 3 is what state 2 may have become already. Of both, {@code completed_at} keeps
     * whether a death was counted, see {@code Phase#UNCOUNTED}.
     */
    static final String RELEASE = "t.state = CASE WHEN r.mode = 1 AND t.state IN (2, 3) THEN 3 ELSE 0 END,"
            + " t.owner = NULL, t.lease_until = {now}, t.expires_at = {now} + {retention},"
            + " t.attempt = CASE WHEN r.mode = 0 THEN t.attempt ELSE t.attempt - 1 END,"
            + " t.deaths = CASE WHEN r.mode = 2 THEN 0"
            + " WHEN r.mode = 1 AND t.state IN (2, 3) AND t.completed_at IS NULL THEN t.deaths - 1 ELSE t.deaths END";

    /** The column of results has the steps of a record that is unfinished. */
    static final String STEP = "t.result = CONCAT(COALESCE(t.result, ''), r.entry_result)";

    static final String STEP_ONE = "t.result = CONCAT(COALESCE(t.result, ''), ?)";

    static final String RENEW = "t.lease_until = {now} + r.lease, t.expires_at = {now} + r.lease + {retention}";

    static final String RENEW_ONE = "t.lease_until = {now} + ?, t.expires_at = t.lease_until + {retention}";

    private MySqlSql() {}

    static String now(String start, String present) {
        String passed = "TIMESTAMPDIFF(MICROSECOND, " + start + ", " + present + ")";
        return "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6)) + IF(ABS(" + passed + ") < 900000000, "
                + passed + ", 0))";
    }

    /**
     * An upsert whose first assignment makes the decision, and whose other assignments follow it: MySQL assigns from
     * left to right, and {@code SYSDATE} differs between assignments. A row that cannot be claimed is assigned to
     * itself, which writes nothing. The decision also shows the caller that this very call wrote the row.
     */
    static String claim(int requests) {
        return CLAIM.replace("{source}", CLAIM_MANY).replace("{requests}", requests(CLAIM_COLUMNS, requests));
    }

    /** Writes claimable records as done; the others are assigned to themselves. */
    static String record(int requests) {
        String end = "CASE WHEN r.length = " + NEVER + " THEN r.length ELSE completed_at + r.length END";
        return RECORD.replace("{end}", end)
                .replace("{source}", RECORD_MANY)
                .replace("{requests}", requests(RECORD_COLUMNS, requests));
    }

    /**
     * {@link #claim} of one request, for MariaDB, which syncs its log to disk with each {@code INSERT ... SELECT}, also
     * within a transaction, and creates a temporary table for a subquery. MySQL has deprecated {@code VALUES()}.
     */
    static String claimOne() {
        return ofValues(CLAIM.replace("r.lease", "VALUES(lease_until) - VALUES(token)"))
                .replace("{source}", CLAIM_ONE);
    }

    /** {@link #record} in the same form, for a statement that does not wait: its time is that of its row. */
    static String recordOne() {
        return ofValues(RECORD.replace("{end}", "VALUES(expires_at)"))
                .replace("{now}", "VALUES(token)")
                .replace("{source}", RECORD_ONE);
    }

    /**
     * Writes a record if there is no row, and returns the row; for MariaDB. It doesn't wait for locks, so the statement's start is
     * its time.
     */
    static String insertOne() {
        return "INSERT INTO {table} " + RECORD_ONE + " ON DUPLICATE KEY UPDATE attempt = attempt RETURNING "
                + RECORDED.replace("{t}", "").replace("{now}", "{start}");
    }

    /** Records messages as done that were handled elsewhere. */
    static String importDone(int requests) {
        return IMPORT.replace("{requests}", requests(IMPORT_COLUMNS, requests));
    }

    /** Reads the rows of requests after {@link #importDone}; parameters are the keys and the ends. */
    static String imported(int requests) {
        return IMPORTED.replace("{requests}", requests("message_id, scope, ends", requests));
    }

    private static String ofValues(String upsert) {
        return upsert.replace("r.mark", "VALUES(write_mark)")
                .replace("r.new_owner", "VALUES(owner)")
                .replace("r.new_fingerprint", "VALUES(fingerprint)");
    }

    /** A statement about the rows of some keys, each found by its key; touches no other row. */
    static String ofKeys(String what, int keys) {
        return what + " FROM " + requests(KEY_COLUMNS, keys)
                + " r STRAIGHT_JOIN {table} t ON t.message_id = r.message_id AND t.scope = r.scope";
    }

    /**
     * An update of the rows of several requests.
     *
     * @param set the assignments
     * @param columns of the requests, including {@code message_id, scope, owner}
     */
    static String update(String set, String columns, int requests) {
        return "UPDATE " + requests(columns, requests)
                + " r STRAIGHT_JOIN {table} t ON t.message_id = r.message_id AND t.scope = r.scope SET " + set
                + ", t.write_mark = ? WHERE t.owner = r.owner AND t.state IN (1, 2) AND t.expires_at > {now}";
    }

    /**
     * {@link #update} of one request, or of several with one owner and scope and the same columns, without a table of
     * parameters, which would be a temporary one. A list of message IDs follows. The hint keeps the server from reading,
     * and waiting for, other rows if the table is small.
     *
     * @param set the assignments, with the requests' columns in their order
     */
    static String updateOfOneOwner(String set) {
        return "UPDATE {table} t FORCE INDEX (PRIMARY) SET " + set + ", t.write_mark = ?"
                + " WHERE t.scope = ? AND t.owner = ? AND t.state IN (1, 2) AND t.expires_at > {now} AND t.message_id IN (";
    }

    /** A table of parameters, in a form that both MySQL and MariaDB support. */
    private static String requests(String columns, int count) {
        String[] names = columns.split(", ");
        String first = Arrays.stream(names)
                .map(name -> parameter(name) + " AS " + name)
                .collect(Collectors.joining(", "));
        String other = Arrays.stream(names).map(MySqlSql::parameter).collect(Collectors.joining(", "));
        return "(SELECT " + first + (" UNION ALL SELECT " + other).repeat(count - 1) + ")";
    }

    /** MariaDB takes the length of text in a union modulo 64 KiB and silently cuts longer text, unless it is cast. */
    private static String parameter(String column) {
        return column.endsWith("result") ? "CAST(? AS BINARY)" : "?";
    }

    /** The statement for one store, without limits. */
    static String of(JdbcSettings settings, String statement) {
        return of(settings, "", statement);
    }

    /**
     * The statement for one store.
     *
     * @param limits what comes before the statement; empty, or with {@link #UTC} in it
     */
    static String of(JdbcSettings settings, String limits, String statement) {
        String retention = Long.toString(settings.retentionMicros());
        return limits
                + settings.table()
                        .in(statement
                                .replace("{now}", limits.isEmpty() ? NOW : UTC_NOW)
                                .replace("{start}", START)
                                .replace("{retention}", retention));
    }
}
