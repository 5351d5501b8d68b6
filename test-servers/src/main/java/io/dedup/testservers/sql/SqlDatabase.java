package io.dedup.testservers.sql;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** A database of one's own. Thread-safe. */
public record SqlDatabase(SqlAddress server, String name) implements AutoCloseable {

    public String jdbcUrl() {
        return server.url(name);
    }

    /** The same database by way of another port of this machine, where a {@code TcpProxy} listens. */
    public String jdbcUrlThrough(int port) {
        return jdbcUrl().replaceFirst("://[^/]*/", "://127.0.0.1:" + port + "/");
    }

    public String user() {
        return server.user();
    }

    public String password() {
        return server.password();
    }

    /** A new connection, to be closed by the caller. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl(), user(), password());
    }

    /** Drops the database, even while clients are connected to it. */
    @Override
    public void close() {
        boolean postgres = server.prefix().startsWith("jdbc:postgresql:");
        server.execute("DROP DATABASE " + name + (postgres ? " WITH (FORCE)" : ""));
    }
}
