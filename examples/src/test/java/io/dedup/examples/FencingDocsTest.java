package io.dedup.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The SQL of "Fencing tokens" in docs/guarantees.md, run by a paused handler and by the handler that has taken over. */
class FencingDocsTest {
    private final SqlDatabase database = PostgresServers.newDatabase();
    private List<String> sql = List.of();

    @BeforeEach
    void read() throws IOException, SQLException {
        String page = Files.readString(Path.of("../docs/guarantees.md"));
        String block = page.substring(page.indexOf("```sql\n", page.indexOf("## Fencing tokens")) + 7)
                .split("```", -1)[0];
        sql = new ArrayList<>();
        for (String statement : block.replaceAll("--.*", "").split(";", -1)) {
            if (!statement.isBlank()) {
                sql.add(statement.strip());
            }
        }
        assertThat(sql).hasSize(5);
        try (Connection connection = connect()) {
            connection.createStatement().execute(sql.get(0));
            connection.createStatement().execute("CREATE TABLE account (number int PRIMARY KEY, balance bigint)");
            connection.createStatement().execute("INSERT INTO account VALUES (1, 100)");
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aRunThatWasPausedAfterItsReadCannotWrite() throws SQLException {
        try (Connection paused = connect();
                Connection successor = connect()) {
            assertThat(show(paused, 1)).isTrue();
            long before = balance(paused);
            assertThat(show(successor, 2)).isTrue();
            long current = balance(successor);

            assertThat(write(paused, 1, before + 10)).isFalse();
            assertThat(write(successor, 2, current + 10)).isTrue();

            assertThat(balance(successor)).isEqualTo(110);
            assertThat(show(paused, 1)).isFalse();
        }
    }

    /** The new owner reads what was written before it presented its token, so no update is lost. */
    @Test
    void whatWasWrittenInTimeIsRead() throws SQLException {
        try (Connection paused = connect();
                Connection successor = connect()) {
            assertThat(show(paused, 1)).isTrue();
            assertThat(write(paused, 1, balance(paused) + 10)).isTrue();
            assertThat(show(successor, 2)).isTrue();
            assertThat(balance(successor)).isEqualTo(110);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
    }

    private static PreparedStatement with(Connection connection, String statement, long token, long balance)
            throws SQLException {
        return connection.prepareStatement(statement
                .replace(":id", "'o-1'")
                .replace(":token", Long.toString(token))
                .replace(":account", "1")
                .replace(":balance", Long.toString(balance)));
    }

    private boolean show(Connection connection, long token) throws SQLException {
        try (PreparedStatement statement = with(connection, sql.get(1), token, 0)) {
            return statement.executeUpdate() == 1;
        }
    }

    private long balance(Connection connection) throws SQLException {
        try (PreparedStatement statement = with(connection, sql.get(2), 0, 0);
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.next()).isTrue();
            return rows.getLong(1);
        }
    }

    private boolean write(Connection connection, long token, long balance) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement question = with(connection, sql.get(3), token, 0);
                ResultSet rows = question.executeQuery();
                PreparedStatement update = with(connection, sql.get(4), token, balance)) {
            boolean mine = rows.next();
            if (mine) {
                assertThat(update.executeUpdate()).isEqualTo(1);
            }
            connection.commit();
            return mine;
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
