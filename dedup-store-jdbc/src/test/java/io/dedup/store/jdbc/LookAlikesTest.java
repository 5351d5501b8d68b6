package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Databases that only look like PostgreSQL or MySQL. None of them can be had from Maven Central, so a real server plays them:
 * statements are changed on their way to it.
 */
class LookAlikesTest {
    private static final String COCKROACH = "CockroachDB CCL v23.1.11 (x86_64-pc-linux-gnu, built 2023/09/27)";
    private static final String YUGABYTE =
            "PostgreSQL 15.2-YB-2025.1.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit";
    private static final String UNKNOWN = "PostgreSQL 14.1";
    private static final String TIDB = "8.0.11-TiDB-v7.5.0";
    private static final String MYSQL = "8.0.36";

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "POSTGRESQL | PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc, Redshift 1.0.54899 | Redshift",
                "POSTGRESQL | PostgreSQL 12.3, compiled by Visual C++ build 1914, 64-bit, QuestDB | QuestDB",
                "POSTGRESQL | (openGauss 5.0.0 build a07d57c3) compiled at 2023-03-29 | openGauss",
                "MYSQL | 5.7.32 SingleStoreDB source distribution | SingleStore",
                "MYSQL | 8.0.33 StarRocks version 3.2.4 | StarRocks"
            })
    @DisplayName("a server that no dialect works with is refused by its name, before the table is made")
    void refusedByName(JdbcDialect dialect, String words, String name) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            assertThatThrownBy(database.builder(calling(database, words, sql -> sql))::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("doesn't work with " + name);
            assertThatThrownBy(() -> database.execute("SELECT 1 FROM dedup_record"))
                    .hasStackTraceContaining("dedup_record");
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "POSTGRESQL | " + COCKROACH + " | CockroachDB",
                "POSTGRESQL | " + YUGABYTE + " | YugabyteDB",
                "POSTGRESQL | " + UNKNOWN + " | \"" + UNKNOWN + "\"",
                "MYSQL | " + TIDB + " | TiDB",
                "MYSQL | 5.7.25-OceanBase-v4.2.1.0 | OceanBase",
                "MYSQL | " + MYSQL + " | MySQL"
            })
    @DisplayName("one that does what was asked is taken, with a warning that it isn't tested")
    void taken(JdbcDialect dialect, String words, String name) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            JdbcDedupStore store = database.closing(
                    database.builder(calling(database, words, sql -> sql)).build());

            assertThat(store.warnings()).singleElement().asString().startsWith("The server is " + name + ",");
            Messages.done(store, new Messages().key());
            assertThat(database.count("SELECT COUNT(*) FROM dedup_record"))
                    .as("nothing is left of the questions")
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"POSTGRESQL", "MARIADB"})
    @DisplayName("the real ones aren't asked, and need no second connection at the start")
    void real(JdbcDialect dialect) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            var pool = database.pool(config -> {
                config.setMaximumPoolSize(1);
                config.setConnectionTimeout(1_000);
            });
            JdbcDedupStore store = database.closing(database.builder(pool).build());

            assertThat(store.warnings()).singleElement().asString().contains("pool is too small");
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {"POSTGRESQL | " + COCKROACH, "POSTGRESQL | " + UNKNOWN})
    @DisplayName("an advisory lock that everybody gets is found out")
    void advisoryLocksOfNobody(JdbcDialect dialect, String words) {
        assertRefused(
                dialect,
                words,
                sql -> sql.replace("pg_try_advisory_xact_lock(?)", "CAST(? AS bigint) IS NOT NULL"),
                "pg_try_advisory_xact_lock doesn't keep a second session out");
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {"POSTGRESQL | " + UNKNOWN, "MYSQL | " + TIDB, "MYSQL | " + MYSQL})
    @DisplayName("FOR UPDATE SKIP LOCKED that reads without locking is found out, and so is one that waits")
    void skipLocked(JdbcDialect dialect, String words) {
        String expected = "FOR UPDATE SKIP LOCKED doesn't lock rows, or doesn't skip locked ones";
        assertRefused(dialect, words, sql -> sql.replace(" FOR UPDATE SKIP LOCKED", ""), expected);
        assertRefused(dialect, words, sql -> sql.replace(" SKIP LOCKED", ""), expected);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {"POSTGRESQL | " + YUGABYTE, "MYSQL | " + TIDB})
    @DisplayName("READ COMMITTED that is another level is found out")
    void otherIsolation(JdbcDialect dialect, String words) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            DataSource deaf = calling(database, words, sql -> sql, true);
            assertThatThrownBy(database.builder(deaf)::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("READ COMMITTED doesn't see what others commit");
        }
    }

    private static void assertRefused(
            JdbcDialect dialect, String words, UnaryOperator<String> change, String expected) {
        try (TestDatabase database = TestDatabase.open(dialect)) {
            assertThatThrownBy(database.builder(calling(database, words, change))::build)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("The store doesn't work with this server (")
                    .hasMessageContaining(expected);
        }
    }

    private static DataSource calling(TestDatabase database, String words, UnaryOperator<String> change) {
        return calling(database, words, change, false);
    }

    /** A server that calls itself something else, and whose statements are changed on their way. */
    private static DataSource calling(
            TestDatabase database, String words, UnaryOperator<String> change, boolean repeatableRead) {
        UnaryOperator<String> all = sql -> change.apply(sql)
                .replace("SELECT version()", "SELECT '" + words + "'")
                .replace("SELECT VERSION(), @@version_comment", "SELECT '" + words + "', ''");
        return new DelegatingDataSource(database.pool()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection real = super.getConnection();
                return (Connection) Proxy.newProxyInstance(
                        Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (self, method, args) -> {
                            try {
                                if (method.getName().equals("prepareStatement")) {
                                    args[0] = all.apply((String) args[0]);
                                }
                                if (repeatableRead && method.getName().equals("setTransactionIsolation")) {
                                    args[0] = Connection.TRANSACTION_REPEATABLE_READ;
                                }
                                return method.invoke(real, args);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
            }
        };
    }
}
