package io.dedup.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.support.Messages;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another session has locked the whole table, as an operator's does who alters it. */
class TableLockTest {
    /** For a machine that is busy; far below the query timeout of these tests. */
    private static final Duration SOON = Duration.ofSeconds(10);

    private static final Duration LONG = Duration.ofSeconds(40);

    private final Messages messages = new Messages();
    private TestDatabase database;

    @AfterEach
    void stop() {
        database.close();
    }

    /** A transaction with a lock that no claim can be made under. */
    private Connection lockTable() throws SQLException {
        Connection operator = database.connect();
        operator.setAutoCommit(false);
        try (Statement statement = operator.createStatement()) {
            statement.execute(
                    switch (database.dialect()) {
                        case POSTGRESQL -> "LOCK TABLE dedup_record IN ACCESS EXCLUSIVE MODE";
                        case MARIADB, MYSQL -> "LOCK TABLES dedup_record WRITE";
                        case H2, GENERIC -> "SELECT 1"; // has no such lock that a test could hold
                    });
        }
        return operator;
    }

    private JdbcDedupStore store(HikariDataSource pool, Duration queryTimeout) {
        return database.closing(database.builder(pool)
                .lockTimeout(Duration.ofSeconds(1))
                .queryTimeout(queryTimeout)
                .build());
    }

    private void assertFailsWithin(JdbcDedupStore store, Duration most) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> Messages.only(store.claim(List.of(Messages.claim(messages.key())))))
                .isInstanceOf(DedupStoreException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(most);
    }

    @Test
    @DisplayName("MariaDB: the lock timeout bounds the wait for a locked table")
    void mariaDb() throws SQLException {
        database = TestDatabase.open(JdbcDialect.MARIADB);
        JdbcDedupStore store = store(database.pool(), LONG);

        try (Connection operator = lockTable()) {
            assertFailsWithin(store, SOON);
        }
        Messages.done(store, messages.key());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MYSQL"})
    @DisplayName("PostgreSQL and MySQL: the session's own setting bounds the wait for a locked table")
    void sessionSetting(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        JdbcDedupStore store = store(
                database.pool(config -> config.setConnectionInitSql(
                        database.isPostgres() ? "SET lock_timeout = '1s'" : "SET SESSION lock_wait_timeout = 1")),
                LONG);

        try (Connection operator = lockTable()) {
            assertFailsWithin(store, SOON);
        }
        Messages.done(store, messages.key());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(names = {"POSTGRESQL", "MYSQL"})
    @DisplayName("PostgreSQL and MySQL: without it the query timeout does")
    void queryTimeout(JdbcDialect dialect) throws SQLException {
        database = TestDatabase.open(dialect);
        JdbcDedupStore store = store(database.pool(), Duration.ofSeconds(2));

        try (Connection operator = lockTable()) {
            assertFailsWithin(store, SOON);
        }
        Messages.done(store, messages.key());
    }
}
