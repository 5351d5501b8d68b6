package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** What PostgreSQL does for a statement of the store, which is run. */
final class Plans {
    private static final JdbcSettings SETTINGS = new JdbcSettings(
            TableName.parse(TableName.DEFAULT),
            KeyFormat.PLAIN,
            Duration.ofDays(7),
            Duration.ofSeconds(1),
            Duration.ofSeconds(5),
            500);

    private Plans() {}

    /** Of the look for 1,000 rows to purge. */
    static String ofDue(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement statement =
                        connection.prepareStatement(explain(PostgresSql.of(SETTINGS, PostgresSql.DUE)))) {
            statement.setInt(1, 1_000);
            return plan(statement);
        }
    }

    /** Of the removal of rows that are due, all of them in a table without partitions. */
    static String ofPurge(TestDatabase database) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement due = connection.prepareStatement(PostgresSql.of(SETTINGS, PostgresSql.DUE));
                PreparedStatement statement =
                        connection.prepareStatement(explain(PostgresSql.of(SETTINGS, PostgresSql.PURGE)))) {
            DueRows.bind(statement, DueRows.look(due, 1_000));
            return plan(statement);
        }
    }

    /** Of the claim of one new message. */
    static String ofClaim(TestDatabase database, byte[] messageId) throws SQLException {
        String request = "SELECT ?::bytea AS message_id, convert_to('scope', 'UTF8') AS scope, 'me'::text AS owner,"
                + " 60000000::bigint AS lease, NULL::text AS fingerprint, 1::bigint AS ord";
        String sql = PostgresSql.of(SETTINGS, PostgresSql.CLAIM).replace("{requests}", request);
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(explain(sql))) {
            statement.setBytes(1, messageId);
            statement.setInt(2, 3);
            return plan(statement);
        }
    }

    private static String explain(String sql) {
        return "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) " + sql;
    }

    private static String plan(PreparedStatement statement) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (ResultSet lines = statement.executeQuery()) {
            while (lines.next()) {
                plan.append(lines.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }
}
