package io.dedup.store.jdbc.internal.sql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Prepares statements with a timeout.
 *
 * @param timeoutSeconds 0 if the statements contain their timeout, or the driver would set it for the connection
 */
public record Statements(int timeoutSeconds) {
    @SuppressWarnings("SqlSourceToSinkFlow") // from this package's constants and a checked table name
    public PreparedStatement prepare(Connection connection, String sql) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        if (timeoutSeconds > 0) {
            try {
                statement.setQueryTimeout(timeoutSeconds);
            } catch (SQLException | RuntimeException e) {
                statement.close();
                throw e;
            }
        }
        return statement;
    }

    /** {@code text} as often as {@code count} says, with commas between. */
    public static String list(String text, int count) {
        return (text + ", ").repeat(count - 1) + text;
    }
}
