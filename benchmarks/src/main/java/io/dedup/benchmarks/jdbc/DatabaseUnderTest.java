package io.dedup.benchmarks.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.benchmarks.network.Network;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcKeyFormat;
import io.dedup.testservers.sql.MariaDbServer;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * A database of one's own, a pool of connections, and a store on it.
 *
 * @param kind what is added to its name
 * @param stop ends the server
 */
public record DatabaseUnderTest(String kind, Runnable stop, HikariDataSource pool, JdbcDedupStore store)
        implements AutoCloseable {
    /** Twice what the threads need, and one. */
    private static final int POOL = 17;

    private static final Pattern HOST = Pattern.compile("://[^/]*:(\\d+)/");

    public static DatabaseUnderTest postgres(Network network) {
        return of("", server().start(), network);
    }

    /** With a form of the table. */
    static DatabaseUnderTest postgres(Network network, TableForm form) {
        PostgresServer server = server().start();
        return of("", server::close, server.newDatabase(), server.port(), "", network, form.keys());
    }

    static DatabaseUnderTest syncedPostgres(Network network) {
        return of(
                ", synced",
                server().setting("fsync", "on")
                        .setting("full_page_writes", "on")
                        .start(),
                network);
    }

    private static PostgresServer.Builder server() {
        return PostgresServers.builder().setting("shared_buffers", "1GB").setting("max_wal_size", "8GB");
    }

    private static DatabaseUnderTest of(String kind, PostgresServer server, Network network) {
        return of(kind, server::close, server.newDatabase(), server.port(), "", network, JdbcKeyFormat.PLAIN);
    }

    static DatabaseUnderTest mariadb(Network network) {
        return mariadb("", "", network);
    }

    /** With a form of the table, and room in memory for one of millions of rows. */
    static DatabaseUnderTest largeMariadb(Network network, TableForm form) {
        MariaDbServer server = mariadbServer("4G").start();
        return of("", server::close, server.newDatabase(), server.port(), "", network, form.keys());
    }

    /** The server keeps statements that it has parsed, which is not its driver's default. */
    static DatabaseUnderTest preparingMariadb(Network network) {
        return mariadb(", prepared", "?useServerPrepStmts=true", network);
    }

    private static DatabaseUnderTest mariadb(String kind, String options, Network network) {
        MariaDbServer server = mariadbServer("1G").start();
        return of(kind, server::close, server.newDatabase(), server.port(), options, network, JdbcKeyFormat.PLAIN);
    }

    private static MariaDbServer.Builder mariadbServer(String memory) {
        return MariaDbServers.builder()
                .setting("innodb-buffer-pool-size", memory)
                .setting("innodb-log-file-size", "1G")
                // With it, a TRUNCATE of what had grown timed out now and then.
                .setting("innodb-stats-auto-recalc", "OFF");
    }

    private static DatabaseUnderTest of(
            String kind,
            Runnable stop,
            SqlDatabase database,
            int port,
            String options,
            Network network,
            JdbcKeyFormat keys) {
        Network.Route route = network.to(port);
        return of(
                network.name(kind),
                () -> {
                    route.close();
                    stop.run();
                },
                database.jdbcUrlThrough(route.port()) + options,
                database.user(),
                database.password(),
                keys);
    }

    /** The same database from another distance. Closing that leaves the server running. */
    DatabaseUnderTest from(Network network) {
        Matcher url = HOST.matcher(pool.getJdbcUrl());
        if (!url.find()) {
            throw new IllegalStateException("no port in " + pool.getJdbcUrl());
        }
        Network.Route route = network.to(Integer.parseInt(url.group(1)));
        return of(
                network.name(""),
                route::close,
                url.replaceFirst("://127.0.0.1:" + route.port() + "/"),
                pool.getUsername(),
                pool.getPassword(),
                JdbcKeyFormat.PLAIN);
    }

    static DatabaseUnderTest h2() {
        return of("", () -> {}, "jdbc:h2:mem:bench", "sa", "", JdbcKeyFormat.PLAIN);
    }

    private static DatabaseUnderTest of(
            String kind, Runnable stop, String url, String user, String password, JdbcKeyFormat keys) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(POOL);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED"); // as the production checklist says
        HikariDataSource pool = new HikariDataSource(config);
        return new DatabaseUnderTest(kind, stop, pool, storeOn(pool, keys));
    }

    static JdbcDedupStore storeOn(DataSource dataSource) {
        return storeOn(dataSource, JdbcKeyFormat.PLAIN);
    }

    private static JdbcDedupStore storeOn(DataSource dataSource, JdbcKeyFormat keys) {
        return JdbcDedupStore.builder(dataSource)
                .keyFormat(keys)
                .purgeInterval(null) // a purge of its own would run in turns without one
                .initializeSchema(InitializeSchema.ALWAYS)
                .build();
    }

    public String name() {
        try (Connection connection = pool.getConnection()) {
            DatabaseMetaData server = connection.getMetaData();
            return server.getDatabaseProductName() + " " + server.getDatabaseMajorVersion() + "."
                    + server.getDatabaseMinorVersion() + kind;
        } catch (SQLException e) {
            throw new IllegalStateException("the database doesn't answer", e);
        }
    }

    @Override
    public void close() {
        store.close();
        pool.close();
        stop.run();
    }
}
