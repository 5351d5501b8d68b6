package io.dedup.benchmarks.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * What a session of a PostgreSQL on this machine has used so far. Tables are counted since they were created.
 *
 * @param cpuNanos of the session's process, as the kernel counts it
 */
record PostgresUsage(long cpuNanos, long logBytes, long replacedRows, long deadRows) {
    private static final String QUERY = """
            SELECT pg_backend_pid(), pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint,
                   sum(n_tup_upd + n_tup_del)::bigint, sum(n_tup_upd + n_tup_del - n_tup_hot_upd)::bigint
            FROM pg_stat_user_tables""";

    /** @param pool of one connection, whose session is read */
    static PostgresUsage read(DataSource pool) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_stat_force_next_flush()");
            try (ResultSet row = statement.executeQuery(QUERY)) {
                row.next();
                return new PostgresUsage(cpuNanos(row.getInt(1)), row.getLong(2), row.getLong(3), row.getLong(4));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the server doesn't say what it has used", e);
        }
    }

    PostgresUsage since(PostgresUsage before) {
        return new PostgresUsage(
                cpuNanos - before.cpuNanos,
                logBytes - before.logBytes,
                replacedRows - before.replacedRows,
                deadRows - before.deadRows);
    }

    private static long cpuNanos(int process) {
        try {
            String counters = Files.readString(Path.of("/proc/" + process + "/schedstat"));
            return Long.parseLong(counters.substring(0, counters.indexOf(' ')));
        } catch (IOException e) {
            throw new UncheckedIOException("only a server on this machine can be measured, and only on Linux", e);
        }
    }
}
