package io.dedup.testservers.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

final class MariaDbServersTest {

    @Test
    void theSharedServerGivesEachItsOwnDatabase() throws SQLException {
        try (SqlDatabase one = MariaDbServers.newDatabase();
                SqlDatabase other = MariaDbServers.newDatabase()) {
            Sql.execute(one, "CREATE TABLE t (a int)");
            Sql.execute(other, "CREATE TABLE t (a int)");
            assertThat(MariaDbServers.shared()).isSameAs(one.server());
            other.close();
            assertThatThrownBy(other::connect).hasMessageContaining("Unknown database");
            other.server().execute("CREATE DATABASE " + other.name());
        }
    }

    @Test
    void keepsWhatIsCommittedAcrossKillAndRestart() throws SQLException {
        try (MariaDbServer server =
                MariaDbServers.builder().setting("max-connections", "20").start()) {
            SqlDatabase database = server.newDatabase();
            Sql.execute(database, "CREATE TABLE t (a int)", "INSERT INTO t VALUES (42)");
            assertThat(Sql.query(database, "SELECT @@max_connections")).isEqualTo("20");
            assertThat(Sql.query(database, "SELECT version()")).startsWith("11.4");
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

    /** At start a server removes every temporary table that it finds where it puts its own. */
    @Test
    void keepsItsTemporaryTablesWhenAnotherServerStarts() throws SQLException {
        try (MariaDbServer server = MariaDbServers.start();
                Connection connection = server.newDatabase().connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TEMPORARY TABLE t (a int) ENGINE = Aria");
            MariaDbServers.start().close();
            assertThatCode(() -> statement.execute("DROP TEMPORARY TABLE t")).doesNotThrowAnyException();
        }
    }
}
