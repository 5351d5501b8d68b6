package io.dedup.store.jdbc.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.TableName;
import io.dedup.store.jdbc.support.OnEachDatabase;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What an operator reads when a store doesn't start: the cause in the database's own words, and the advice that fits it. */
class FailureMessagesTest {
    private static final String TABLE_ADVICE = "initializeSchema";

    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    private JdbcDedupStoreBuilder with(Consumer<HikariConfig> settings) {
        return database.builder(database.pool(config -> {
            config.setConnectionTimeout(1_000);
            config.setInitializationFailTimeout(-1);
            settings.accept(config);
        }));
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
    @DisplayName("a wrong user: the database's refusal, and where the user is set; nothing about the table")
    void wrongUser(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        assertThatThrownBy(with(config -> {
                    config.setUsername("nobody1");
                    config.setPassword("wrong");
                })::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageStartingWith("Cannot connect to the database of table dedup_record: ")
                .hasMessageContaining(database.isH2() ? "Wrong user name or password" : "nobody1")
                .hasMessageContaining("SQLState 28")
                .hasMessageContaining("spring.datasource.username and spring.datasource.password")
                .hasMessageNotContaining(TABLE_ADVICE);
    }

    /** As Spring Boot makes a pool: it connects at the first call, and throws an exception of its own. */
    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("a wrong user of a pool that connects late: the same words, and not the pool's exception")
    void wrongUserOfLatePool(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        try (HikariDataSource late = new HikariDataSource();
                Connection connection = database.connect()) {
            late.setJdbcUrl(connection.getMetaData().getURL().replaceFirst("\\?.*", "")); // MariaDB's has the user
            late.setUsername("nobody1");
            late.setPassword("wrong");
            late.setConnectionTimeout(1_000);
            assertThatThrownBy(database.builder(late)::build)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageStartingWith("Cannot connect to the database of table dedup_record: ")
                    .hasMessageContaining("nobody1");
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("a database that isn't there: its name, and the URL; nothing about the table")
    void wrongDatabase(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        assertThatThrownBy(
                        with(config -> config.setJdbcUrl(
                                config.getJdbcUrl().replaceFirst("(://[^/]*/)[^?]*", "$1no_such_database")))::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("no_such_database")
                .hasMessageContaining("spring.datasource.url")
                .hasMessageNotContaining(TABLE_ADVICE);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB"})
    @DisplayName("no server: the driver's words, and where to look; nothing about the table")
    void noServer(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        assertThatThrownBy(
                        with(config ->
                                config.setJdbcUrl(config.getJdbcUrl().replaceFirst("://[^/]*/", "://127.0.0.1:1/")))
                                ::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageMatching("(?is).*(refused|not connect).*")
                .hasMessageContaining("check the server, the pool")
                .hasMessageNotContaining(TABLE_ADVICE);
    }

    @OnEachDatabase
    @DisplayName("a missing table: the database's words, where it was looked for, and how to create it")
    void missingTable(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        assertThatThrownBy(database.builder().initializeSchema(InitializeSchema.NEVER)::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageMatching("(?is).*dedup_record.*(not exist|not found|doesn't exist).*")
                .hasMessageContaining("The table is missing in the ")
                .hasMessageContaining(TABLE_ADVICE);
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "H2", "GENERIC"})
    @DisplayName("a schema that isn't there: its name")
    void wrongSchema(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        assertThatThrownBy(
                        database.builder().table("no_such.dedup_record").initializeSchema(InitializeSchema.NEVER)
                                ::build)
                .isInstanceOf(DedupStoreException.class)
                .hasMessageContaining("in schema no_such, or there is no such schema")
                .hasMessageContaining("correct table(...)");
    }

    @Test
    @DisplayName("the table is missing, and the user may not create it: CREATE, not SELECT")
    void mayNotCreate() {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        String user = "reader_" + Long.toHexString(System.nanoTime());
        database.execute("CREATE USER " + user + " PASSWORD 'reader'", "REVOKE CREATE ON SCHEMA public FROM PUBLIC");
        try {
            assertThatThrownBy(with(config -> {
                                config.setUsername(user);
                                config.setPassword("reader");
                            })
                            .initializeSchema(InitializeSchema.ALWAYS)::build)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageContaining("permission denied for schema")
                    .hasMessageContaining("lacks the privilege to create it")
                    .hasMessageContaining("grant this one CREATE and USAGE on the schema")
                    .hasMessageNotContaining("SELECT");
        } finally {
            database.execute("DROP USER " + user);
        }
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
    @DisplayName("a missing privilege, also one that only a write needs: the database's words, and what to grant")
    void missingPrivilege(JdbcDialect dialect) {
        database = TestDatabase.open(dialect);
        database.builder().build().close();
        String user = "reader_" + Long.toHexString(System.nanoTime());
        database.execute(
                switch (dialect) {
                    case POSTGRESQL -> "CREATE USER " + user + " PASSWORD 'reader'";
                    case MARIADB, MYSQL -> "CREATE USER " + user + "@'%' IDENTIFIED BY 'reader'";
                    case H2, GENERIC -> "CREATE USER " + user + " PASSWORD 'reader'";
                });
        String grantee = database.isMariaDb() ? user + "@'%'" : user;
        database.execute("GRANT SELECT ON dedup_record TO " + grantee);
        try {
            assertThatThrownBy(with(config -> {
                        config.setUsername(user);
                        config.setPassword("reader");
                    })::build)
                    .isInstanceOf(DedupStoreException.class)
                    .hasMessageMatching("(?is).*(permission denied|command denied|not enough rights).*")
                    .hasMessageContaining("grant it SELECT, INSERT, UPDATE and DELETE on table dedup_record")
                    .hasMessageNotContaining(TABLE_ADVICE);
        } finally {
            database.execute("REVOKE SELECT ON dedup_record FROM " + grantee, "DROP USER " + grantee);
        }
    }

    @Test
    @DisplayName("an error about data doesn't quote it")
    void quotesNothing() {
        database = TestDatabase.open(JdbcDialect.H2);
        SqlFailures failures = new SqlFailures(
                new JdbcSettings(
                        TableName.parse("dedup_record"),
                        KeyFormat.PLAIN,
                        Duration.ofDays(1),
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(5),
                        500),
                Database.POSTGRESQL);
        assertThat(failures.failed("claim", new SQLException("invalid value order-1", "22021")))
                .hasMessageContaining("SQLState 22021")
                .hasMessageNotContaining("order-1");
        assertThat(failures.failed(
                        "claim", new SQLException("ERROR: out of shared memory\n  Detail: key (order-1)", "53200")))
                .hasMessageContaining("out of shared memory")
                .hasMessageNotContaining("order-1");
    }
}
