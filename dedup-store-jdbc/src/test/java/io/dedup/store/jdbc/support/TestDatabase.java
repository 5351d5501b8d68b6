package io.dedup.store.jdbc.support;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.schema.SchemaScript;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An empty database of its own on a real server, for one dialect. */
public final class TestDatabase implements AutoCloseable {
    /** What the pools of tests wait for a connection. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final JdbcDialect dialect;
    private final String url;
    private final String user;
    private final String password;
    private final @Nullable SqlDatabase server;
    private final List<AutoCloseable> opened = new CopyOnWriteArrayList<>();
    private final HikariDataSource admin;

    private TestDatabase(JdbcDialect dialect, String url, String user, String password, @Nullable SqlDatabase server) {
        this.dialect = dialect;
        this.url = url;
        this.user = user;
        this.password = password;
        this.server = server;
        // An H2 in memory ends with its last connection.
        this.admin = pool(config -> {
            config.setMaximumPoolSize(2);
            config.setMinimumIdle(1);
        });
    }

    public static TestDatabase open(JdbcDialect dialect) {
        return switch (dialect) {
            case POSTGRESQL -> of(dialect, PostgresServers.newDatabase());
            // No MySQL 8 can be had here: its dialect runs on MariaDB. Its locks wait as long as its session says.
            case MARIADB, MYSQL -> of(dialect, MariaDbServers.newDatabase());
            case H2, GENERIC -> {
                String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";LOCK_TIMEOUT=1000";
                yield new TestDatabase(dialect, url, "sa", "", null);
            }
        };
    }

    /** A database on a server that the test has for itself. */
    public static TestDatabase of(JdbcDialect dialect, SqlDatabase database) {
        return of(dialect, database, database.jdbcUrl());
    }

    public static TestDatabase of(JdbcDialect dialect, SqlDatabase database, String url) {
        String mysql = dialect == JdbcDialect.MYSQL ? "?sessionVariables=innodb_lock_wait_timeout=1" : "";
        return new TestDatabase(dialect, url + mysql, database.user(), database.password(), database);
    }

    /** With an option in the JDBC URL. */
    public static TestDatabase with(JdbcDialect dialect, SqlDatabase database, String option) {
        String lockWait = dialect == JdbcDialect.MYSQL ? "&sessionVariables=innodb_lock_wait_timeout=1" : "";
        return new TestDatabase(
                dialect, database.jdbcUrl() + "?" + option + lockWait, database.user(), database.password(), database);
    }

    public JdbcDialect dialect() {
        return dialect;
    }

    public boolean isPostgres() {
        return dialect == JdbcDialect.POSTGRESQL;
    }

    public boolean isMariaDb() {
        return dialect == JdbcDialect.MARIADB || dialect == JdbcDialect.MYSQL;
    }

    public boolean isH2() {
        return dialect == JdbcDialect.H2 || dialect == JdbcDialect.GENERIC;
    }

    /** A pool like an application's, closed with this. */
    public HikariDataSource pool() {
        return pool(config -> {});
    }

    public HikariDataSource pool(Consumer<HikariConfig> settings) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(password);
        config.setMaximumPoolSize(20);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(PATIENCE.toMillis());
        settings.accept(config);
        HikariDataSource pool = new HikariDataSource(config);
        opened.add(pool);
        return pool;
    }

    /** A store's builder with this dialect and a pool of its own. */
    public JdbcDedupStoreBuilder builder() {
        return builder(pool());
    }

    public JdbcDedupStoreBuilder builder(javax.sql.DataSource dataSource) {
        return JdbcDedupStore.builder(dataSource)
                .dialect(dialect)
                .initializeSchema(InitializeSchema.ALWAYS)
                .purgeInterval(null);
    }

    /** A store that gives up locked rows as soon as its database can, closed with this. */
    public JdbcDedupStore hastyStore() {
        HikariDataSource hasty = pool(config -> {
            if (isH2()) {
                config.setConnectionInitSql("SET LOCK_TIMEOUT 200");
            }
        });
        return closing(builder(hasty).lockTimeout(Duration.ofMillis(200)).build());
    }

    /** A store that waits for locks longer than any test, closed with this. */
    public JdbcDedupStore patientStore() {
        return closing(patient(builder(patientPool())).build());
    }

    /** Lets a store wait for locks longer than any test: to be used with {@link #patientPool}. */
    public static JdbcDedupStoreBuilder patient(JdbcDedupStoreBuilder builder) {
        return builder.lockTimeout(Duration.ofSeconds(20)).queryTimeout(Duration.ofSeconds(25));
    }

    /** A pool whose connections wait for locks as long. */
    public HikariDataSource patientPool() {
        return pool(config -> {
            switch (dialect) {
                case MYSQL -> config.setConnectionInitSql("SET SESSION innodb_lock_wait_timeout = 20");
                case H2, GENERIC -> config.setConnectionInitSql("SET LOCK_TIMEOUT 20000");
                case POSTGRESQL, MARIADB -> {} // take it with each statement
            }
        });
    }

    /** A store with defaults, closed with this. */
    public JdbcDedupStore store() {
        return closing(builder().build());
    }

    public <T extends AutoCloseable> T closing(T resource) {
        opened.add(resource);
        return resource;
    }

    /** A connection past every pool, to be closed by the caller. */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** The table of {@code schema-postgresql-partitioned.sql}, before any store creates the usual one. */
    public void createPartitioned() {
        TableName table = TableName.parse(TableName.DEFAULT);
        execute(SchemaScript.statements("io/dedup/store/jdbc/schema-postgresql-partitioned.sql", table)
                .toArray(String[]::new));
    }

    public void execute(String... statements) {
        try (Connection connection = admin.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    public long count(String query, byte[]... parameters) {
        try (Connection connection = admin.getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setBytes(i + 1, parameters[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                result.next();
                return result.getLong(1);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits until somebody waits for a row that somebody else has locked. */
    public void awaitBlocked() {
        awaitBlocked(1);
    }

    /** Waits until this many do. */
    public void awaitBlocked(int sessions) {
        // H2 doesn't name the blocker of an insert; in an idle database one that is being executed is one that waits.
        String sql = switch (dialect) {
            case POSTGRESQL ->
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                        + " AND wait_event_type = 'Lock'";
            case MARIADB, MYSQL ->
                "SELECT count(*) FROM information_schema.innodb_trx t"
                        + " JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id"
                        + " WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()";
            case H2, GENERIC ->
                "SELECT count(*) FROM information_schema.sessions"
                        + " WHERE blocker_id IS NOT NULL OR executing_statement LIKE 'INSERT INTO dedup_record%'";
        };
        // InnoDB renews its answer only when nobody has asked for 100 ms: two that ask in step would see an old one for
        // ever.
        await().pollDelay(Duration.ZERO)
                .pollInterval((polls, previous) ->
                        Duration.ofMillis(ThreadLocalRandom.current().nextLong(110, 400)))
                .until(() -> count(sql) >= sessions);
    }

    /** Makes all records older. */
    public void age(Duration by) {
        long micros = Micros.of(by);
        String sql =
                "UPDATE dedup_record SET lease_until = lease_until - " + micros + ", completed_at = completed_at - "
                        + micros + ", expires_at = CASE WHEN expires_at = " + Micros.NEVER
                        + " THEN expires_at ELSE expires_at - " + micros + " END";
        execute(
                sql,
                isPostgres()
                        ? "UPDATE dedup_record SET purge_hour = least(expires_at / 3600000000 + 1, 2147483647)::int"
                        : "SELECT 1");
    }

    @Override
    public void close() {
        for (int i = opened.size() - 1; i >= 0; i--) {
            try {
                opened.get(i).close();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        if (server != null) {
            server.close();
        }
    }
}
