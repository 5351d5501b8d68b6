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
    private static final String ID = "o-1";
    private static final Account NONE = new Account(0, 0);

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
            connection
                    .createStatement()
                    .execute("CREATE TABLE account (number int PRIMARY KEY, balance bigint, version bigint)");
            connection.createStatement().execute("INSERT INTO account VALUES (1, 100, 1)");
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
            assertThat(show(paused, ID, 1)).isTrue();
            Account before = read(paused);
            assertThat(show(successor, ID, 2)).isTrue();
            Account current = read(successor);

            assertThat(write(paused, ID, 1, before.plus(10))).isFalse();
            assertThat(write(successor, ID, 2, current.plus(10))).isTrue();

            assertThat(balance(successor)).isEqualTo(110);
            assertThat(show(paused, ID, 1)).isFalse();
        }
    }

    /** The new owner reads what was written before it presented its token, so no update is lost. */
    @Test
    void whatWasWrittenInTimeIsRead() throws SQLException {
        try (Connection paused = connect();
                Connection successor = connect()) {
            assertThat(show(paused, ID, 1)).isTrue();
            assertThat(write(paused, ID, 1, read(paused).plus(10))).isTrue();
            assertThat(show(successor, ID, 2)).isTrue();
            assertThat(balance(successor)).isEqualTo(110);
        }
    }

    /** Each has a token of its own, so only the account's version can tell them apart. */
    @Test
    void anotherMessageCannotOverwriteABalance() throws SQLException {
        try (Connection first = connect();
                Connection second = connect()) {
            assertThat(show(first, "o-1", 1)).isTrue();
            assertThat(show(second, "o-2", 1)).isTrue();
            Account seenByFirst = read(first);
            Account seenBySecond = read(second);

            assertThat(write(first, "o-1", 1, seenByFirst.plus(10))).isTrue();
            assertThat(write(second, "o-2", 1, seenBySecond.plus(20))).isFalse();
            assertThat(write(second, "o-2", 1, read(second).plus(20))).isTrue();

            assertThat(balance(first)).isEqualTo(130);
        }
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(database.jdbcUrl(), database.user(), database.password());
    }

    /** A balance with the version of the row that it was read from. */
    private record Account(long balance, long version) {
        Account plus(long amount) {
            return new Account(balance + amount, version);
        }
    }

    private static PreparedStatement with(
            Connection connection, String statement, String id, long token, Account account) throws SQLException {
        return connection.prepareStatement(statement
                .replace(":id", "'" + id + "'")
                .replace(":token", Long.toString(token))
                .replace(":account", "1")
                .replace(":balance", Long.toString(account.balance()))
                .replace(":version", Long.toString(account.version())));
    }

    private boolean show(Connection connection, String id, long token) throws SQLException {
        try (PreparedStatement statement = with(connection, sql.get(1), id, token, NONE)) {
            return statement.executeUpdate() == 1;
        }
    }

    private Account read(Connection connection) throws SQLException {
        try (PreparedStatement statement = with(connection, sql.get(2), ID, 0, NONE);
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.next()).isTrue();
            return new Account(rows.getLong(1), rows.getLong(2));
        }
    }

    private long balance(Connection connection) throws SQLException {
        return read(connection).balance();
    }

    /** False if the page's SQL finds out that it must not be written. */
    private boolean write(Connection connection, String id, long token, Account account) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement question = with(connection, sql.get(3), id, token, NONE);
                ResultSet rows = question.executeQuery();
                PreparedStatement update = with(connection, sql.get(4), id, token, account)) {
            boolean written = rows.next() && update.executeUpdate() == 1;
            connection.commit();
            return written;
        } finally {
            connection.setAutoCommit(true);
        }
    }
}
