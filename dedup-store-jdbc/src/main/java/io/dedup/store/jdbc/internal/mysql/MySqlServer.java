package io.dedup.store.jdbc.internal.mysql;

import io.dedup.store.jdbc.internal.sql.Statements;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Checks for settings of a MySQL or MariaDB server, or of its driver, that make transactions unsafe. */
final class MySqlServer {
    /** An option of MariaDB's driver. */
    private static final Pattern REPLAY =
            Pattern.compile("[?&]transactionReplay=(?!false|0)", Pattern.CASE_INSENSITIVE);

    /** An option of MariaDB's and MySQL's drivers that makes them reject statements that the server would accept. */
    private static final Pattern MAX_PACKET =
            Pattern.compile("[?&]maxAllowedPacket=(\\d{1,18})(?!\\d)", Pattern.CASE_INSENSITIVE);

    private MySqlServer() {}

    /**
     * The maximum statement size that the server accepts from this session and from new ones, and that the driver
     * permits.
     */
    static long maxStatementBytes(Connection connection) throws SQLException {
        long server;
        try (PreparedStatement statement = connection.prepareStatement(
                        "SELECT LEAST(@@session.max_allowed_packet, @@global.max_allowed_packet)");
                ResultSet result = statement.executeQuery()) {
            result.next();
            server = result.getLong(1);
        }
        String url = connection.getMetaData().getURL();
        Matcher option = MAX_PACKET.matcher(url == null ? "" : url);
        return option.find() ? Math.min(server, Long.parseLong(option.group(1))) : server;
    }

    /**
     * Whether the server writes statements to its binary log. InnoDB then refuses to write at READ COMMITTED (MySQL's manual, "Setting
     * the binary log format").
     */
    static boolean logsStatements(Connection connection) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        try (PreparedStatement statement = connection.prepareStatement(
                        "SHOW VARIABLES WHERE variable_name IN ('log_bin', 'binlog_format')");
                ResultSet result = statement.executeQuery()) {
            while (result.next()) {
                settings.put(result.getString(1), result.getString(2));
            }
        }
        return "ON".equals(settings.get("log_bin")) && "STATEMENT".equals(settings.get("binlog_format"));
    }

    /**
     * Checks the settings.
     *
     * @throws IllegalStateException if one is unsafe; names it
     */
    static void check(Connection connection, Statements statements) throws SQLException {
        String url = connection.getMetaData().getURL();
        if (url != null && REPLAY.matcher(url).find()) {
            throw new IllegalStateException(
                    "The JDBC URL sets transactionReplay: after a failover, the driver would write a record again and hide"
                            + " the answer, which may differ by then. Remove the option");
        }
        try (PreparedStatement statement = statements.prepare(connection, "SELECT @@innodb_rollback_on_timeout");
                ResultSet result = statement.executeQuery()) {
            result.next();
            if (result.getInt(1) != 0) {
                throw new IllegalStateException(
                        "The server runs with innodb_rollback_on_timeout = ON: a message in flight elsewhere would"
                                + " silently roll back the handler's whole transaction. Set it to OFF");
            }
        }
        if (logsStatements(connection)) {
            throw new IllegalStateException(
                    "The server runs with binlog_format = STATEMENT: it refuses to write at READ"
                            + " COMMITTED, so every message would be deferred. Set it to ROW or MIXED");
        }
    }
}
