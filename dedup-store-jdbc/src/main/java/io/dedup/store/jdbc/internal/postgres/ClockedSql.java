package io.dedup.store.jdbc.internal.postgres;

import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A statement that reads the clock in the way that costs the connection's server least. The version is asked with each statement
 * (the driver knows it), because a data source may connect to another server later.
 *
 * @param byBytes for servers that can cast bytes to a number
 * @param before for older ones
 */
record ClockedSql(String byBytes, String before) {
    /** The first version in which a timestamp's bytes can be cast to a number, which costs less than {@code date_part}. */
    static final int BYTES_TO_NUMBER = 18;

    private static final String NOW_BY_BYTES = "(timestamptz_send(clock_timestamp())::bigint + 946684800000000)";

    static ClockedSql of(JdbcSettings settings, String statement) {
        return new ClockedSql(
                PostgresSql.of(settings, statement.replace("{now}", NOW_BY_BYTES)),
                PostgresSql.of(settings, statement));
    }

    ClockedSql replace(String placeholder, String text) {
        return new ClockedSql(byBytes.replace(placeholder, text), before.replace(placeholder, text));
    }

    String on(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseMajorVersion() >= BYTES_TO_NUMBER ? byBytes : before;
    }
}
