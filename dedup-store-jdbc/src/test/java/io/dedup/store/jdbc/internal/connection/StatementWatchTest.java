package io.dedup.store.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.support.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Statements that take too long, on a server. */
class StatementWatchTest {
    private static final String CANCELLED = "57014";

    private TestDatabase database;
    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        database = TestDatabase.open(JdbcDialect.POSTGRESQL);
        connection = database.connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        database.close();
    }

    private void sleep(StatementWatch watch, double seconds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_sleep(" + seconds + ")");
                StatementWatch.Watched ignored = watch.begin(statement)) {
            statement.execute();
        }
    }

    private void assertCancelled(StatementWatch watch) {
        assertThatThrownBy(() -> sleep(watch, 30))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(CANCELLED));
    }

    @Test
    @DisplayName("a statement that takes too long is cancelled, and its session goes on")
    void cancelled() throws SQLException {
        StatementWatch watch = new StatementWatch(Duration.ofMillis(50));
        assertCancelled(watch);
        sleep(watch, 0);
    }

    @Test
    @DisplayName("the next statement of a session isn't cancelled in place of the one before")
    void onlyItsOwn() throws SQLException {
        StatementWatch watch = new StatementWatch(Duration.ofMillis(50));
        try (PreparedStatement statement = connection.prepareStatement("SELECT pg_sleep(0.4)")) {
            watch.begin(statement).close();
            statement.execute();
        }
    }

    @Test
    @DisplayName("the thread ends when no statement runs, and starts again with the next one")
    void startsAgain() {
        StatementWatch watch = new StatementWatch(Duration.ofMillis(50), 1);
        assertCancelled(watch);
        await().until(() -> !watch.isActive());
        assertCancelled(watch);
    }
}
