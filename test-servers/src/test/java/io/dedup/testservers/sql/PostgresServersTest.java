package io.dedup.testservers.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

final class PostgresServersTest {

    @Test
    void theSharedServerGivesEachItsOwnDatabase() throws SQLException {
        try (SqlDatabase one = PostgresServers.newDatabase();
                SqlDatabase other = PostgresServers.newDatabase()) {
            Sql.execute(one, "CREATE TABLE t (a int)");
            Sql.execute(other, "CREATE TABLE t (a int)");
            assertThat(PostgresServers.shared()).isSameAs(one.server());
        }
    }

    @Test
    void aClosedDatabaseIsGone() throws SQLException {
        SqlDatabase database = PostgresServers.newDatabase();
        try (Connection connection = database.connect()) {
            database.close();
            assertThat(connection.isValid(1)).isFalse();
        }
        assertThatThrownBy(database::connect).hasMessageContaining("does not exist");
    }

    @Test
    void keepsWhatIsCommittedAcrossKillAndRestart() throws SQLException {
        try (PostgresServer server =
                PostgresServers.builder().setting("max_connections", "20").start()) {
            SqlDatabase database = server.newDatabase();
            Sql.execute(database, "CREATE TABLE t (a int)", "INSERT INTO t VALUES (42)");
            assertThat(Sql.query(database, "SHOW max_connections")).isEqualTo("20");
            assertThat(Sql.query(database, "SHOW server_version")).startsWith("18");
            try (Connection connection = database.connect()) {
                server.kill();
                assertThat(connection.isValid(1)).isFalse();
            }
            assertThatThrownBy(database::connect).isInstanceOf(SQLException.class);
            server.start();
            assertThat(Sql.query(database, "SELECT a FROM t")).isEqualTo("42");
            server.restart();
            assertThat(Sql.query(database, "SELECT a FROM t")).isEqualTo("42");
        }
    }

    @Test
    void aPausedServerAnswersLater() throws Exception {
        try (PostgresServer server = PostgresServers.start();
                Connection connection = server.newDatabase().connect();
                Statement statement = connection.createStatement()) {
            server.pause();
            Thread query = new Thread(() -> {
                try {
                    statement.execute("SELECT 1");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            });
            query.start();
            query.join(300);
            assertThat(query.isAlive()).isTrue();
            server.resume();
            Awaitility.await().until(() -> !query.isAlive());
            assertThat(connection.isValid(1)).isTrue();
        }
    }

    @Test
    void anAddressIsReadFromAUrl() {
        SqlAddress address =
                SqlAddress.parse("postgres", "jdbc:postgresql://db:5433/admin?user=me&ssl=true&password=secret");
        assertThat(address)
                .isEqualTo(new SqlAddress("jdbc:postgresql://db:5433/", "admin", "?ssl=true", "me", "secret"));
        SqlDatabase database = new SqlDatabase(address, "d");
        assertThat(database.jdbcUrl()).isEqualTo("jdbc:postgresql://db:5433/d?ssl=true");
        assertThat(database.jdbcUrlThrough(7)).isEqualTo("jdbc:postgresql://127.0.0.1:7/d?ssl=true");
    }

    @Test
    void anAddressWithoutUserIsRefused() {
        assertThatThrownBy(() -> SqlAddress.parse("postgres", "jdbc:postgresql://db:5433/admin"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("dedup.test.postgres");
    }
}
