package io.dedup.testservers.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A connection to a server by which it is administered. Failures are {@link IllegalStateException}s. Not thread-safe. */
final class AdminSession implements AutoCloseable {

    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofMillis(20);

    private final Connection connection;
    private final String where;

    private AdminSession(Connection connection, String where) {
        this.connection = connection;
        this.where = where;
    }

    static AdminSession of(SqlAddress address) {
        String url = address.url(address.adminDatabase());
        try {
            return new AdminSession(DriverManager.getConnection(url, address.user(), address.password()), url);
        } catch (SQLException e) {
            throw new IllegalStateException("no connection to " + url, e);
        }
    }

    void execute(String... statements) {
        for (String sql : statements) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            } catch (SQLException e) {
                throw failed(sql, e);
            }
        }
    }

    /** The named column of the first row; null if there is no row. */
    @Nullable
    String query(String sql, String column) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getString(column) : null;
        } catch (SQLException e) {
            throw failed(sql, e);
        }
    }

    /** Waits until the named column of the first row is what is expected. */
    void await(String sql, String column, String expected) {
        long begin = System.nanoTime();
        String found = query(sql, column);
        while (!expected.equals(found)) {
            if (System.nanoTime() - begin > LIMIT.toNanos()) {
                throw new IllegalStateException(
                        "after " + LIMIT.toSeconds() + " s " + sql + " at " + where + " still answers " + found);
            }
            LockSupport.parkNanos(INTERVAL.toNanos());
            found = query(sql, column);
        }
    }

    private IllegalStateException failed(String sql, SQLException e) {
        return new IllegalStateException(sql + " at " + where, e);
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("cannot close the connection to " + where, e);
        }
    }
}
