package io.dedup.store.jdbc.internal.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;

/**
 * How to read the database's time.
 *
 * @param query returns one row with one column named {@code store_time}
 * @param zoned whether the column is a timestamp with time zone; if not, it is a number of microseconds since 1970 UTC
 */
public record StoreClock(String query, boolean zoned) {
    /** Reads the time from the first column. */
    public long read(ResultSet row) throws SQLException {
        return zoned ? Micros.of(row.getObject(1, OffsetDateTime.class).toInstant()) : row.getLong(1);
    }
}
