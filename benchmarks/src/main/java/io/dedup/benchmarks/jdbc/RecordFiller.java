package io.dedup.benchmarks.jdbc;

import io.dedup.store.jdbc.JdbcKeyFormat;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * Fills a table inside the server, in batches of 500 as the store writes them: claims that are then completed, or records of
 * transactions. IDs are UUIDs in no order (36 characters), of a scope of 17. Not thread-safe.
 */
final class RecordFiller {
    private static final int BATCH = 500;
    private static final String SCOPE = "8:payments/orders";
    private static final String OWNER = "0123456789abcdef0123"; // as long as the engine's
    private static final long HOUR = Duration.ofHours(1).toMillis() * 1_000;

    private final Connection connection;
    private final boolean postgres;
    private final TableForm form;
    private final String id;
    private final String scope;
    private final String numbers;
    private final String noLease;

    RecordFiller(Connection connection, boolean postgres, TableForm form) {
        this.connection = connection;
        this.postgres = postgres;
        this.form = form;
        boolean digest = form.keys() == JdbcKeyFormat.DIGEST;
        this.id = postgres ? postgresId(digest) : mariaDbId(digest);
        this.scope =
                postgres ? "convert_to('" + (digest ? "" : SCOPE) + "', 'UTF8')" : "'" + (digest ? "" : SCOPE) + "'";
        this.noLease = postgres && digest ? "NULL::bigint" : "0";
        this.numbers = postgres
                ? "(SELECT ?::bigint + i AS n FROM generate_series(1, " + BATCH + ") i) s"
                : "(SELECT ? + seq AS n FROM seq_1_to_" + BATCH + ") s";
    }

    private static String postgresId(boolean digest) {
        String text = "convert_to(md5(n::text)::uuid::text, 'UTF8')";
        return digest
                ? "substring(sha256(convert_to('" + SCOPE + "', 'UTF8') || '\\xff'::bytea || " + text
                        + ") FROM 1 FOR 14)"
                : text;
    }

    private static String mariaDbId(boolean digest) {
        String text = "CONCAT_WS('-', LEFT(MD5(n), 8), MID(MD5(n), 9, 4), MID(MD5(n), 13, 4), MID(MD5(n), 17, 4),"
                + " RIGHT(MD5(n), 12))";
        return digest ? "LEFT(UNHEX(SHA2(CONCAT('" + SCOPE + "', 0xFF, " + text + "), 256)), 14)" : text;
    }

    /**
     * Writes records that are done.
     *
     * @param size a multiple of 500
     * @param firstEnd when the first of them expires, in microseconds; the last one does an hour later
     */
    void fill(int size, long firstEnd) throws SQLException {
        if (postgres && form.isFilled()) {
            execute("ALTER TABLE dedup_record SET (fillfactor = 100)");
        }
        if (postgres) { // as the store's own statements find them
            execute("SET enable_hashjoin = off");
            execute("SET enable_mergejoin = off");
            execute("SET enable_seqscan = off");
        }
        String insert = form.isClaimed() ? claim() : record();
        for (int from = 0; from < size; from += BATCH) {
            long end = firstEnd + (long) ((double) HOUR * from / size);
            batch(insert, from, end);
            if (form.isClaimed()) {
                batch(completion(), from, end);
            }
        }
        for (String sql : postgres ? List.of("VACUUM ANALYZE dedup_record", "CHECKPOINT") : List.<String>of()) {
            execute(sql);
        }
    }

    private String claim() {
        return "INSERT INTO dedup_record (message_id, scope, state, owner, attempt, deaths, token, lease_until,"
                + " expires_at" + (postgres ? ", purge_hour" : "") + ") SELECT " + id + ", " + scope + ", 1, '" + OWNER
                + "', 1, 0, e, e, e" + (postgres ? ", e / " + HOUR + " + 1" : "") + " FROM " + numbers + ", " + end();
    }

    private String record() {
        return "INSERT INTO dedup_record (message_id, scope, state, attempt, deaths, token, lease_until, completed_at,"
                + " expires_at" + (postgres ? ", purge_hour" : "") + ") SELECT " + id + ", " + scope + ", 4, 1, 0, e, "
                + noLease + ", e, e"
                + (postgres ? ", e / " + HOUR + " + 1" : "") + " FROM " + numbers + ", " + end();
    }

    private String completion() {
        String set = "state = 4, owner = NULL, deaths = 0, lease_until = " + noLease
                + ", completed_at = e, expires_at = e + 1";
        return postgres
                ? "UPDATE dedup_record t SET " + set + " FROM " + numbers + ", " + end() + " WHERE t.message_id = " + id
                        + " AND t.scope = " + scope
                : "UPDATE " + numbers + " STRAIGHT_JOIN " + end() + " STRAIGHT_JOIN dedup_record t ON t.message_id = "
                        + id + " AND t.scope = " + scope + " SET " + set;
    }

    private String end() {
        return postgres ? "(SELECT ?::bigint AS e) ends" : "(SELECT CAST(? AS SIGNED) AS e) ends";
    }

    @SuppressWarnings("SqlSourceToSinkFlow") // from constants
    private void batch(String sql, int from, long end) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, from);
            statement.setLong(2, end);
            int rows = statement.executeUpdate();
            if (rows != BATCH) {
                throw new IllegalStateException(rows + " rows were written instead of " + BATCH);
            }
        }
    }

    @SuppressWarnings("SqlSourceToSinkFlow") // from constants
    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean ignored = statement.execute(sql);
        }
    }
}
