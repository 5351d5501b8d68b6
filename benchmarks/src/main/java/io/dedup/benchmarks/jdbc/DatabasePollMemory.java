package io.dedup.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.benchmarks.kafka.PollMemory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.springframework.jdbc.core.JdbcTemplate;

/** One insert that skips existing rows, and one update, each for a whole array; for PostgreSQL. */
public final class DatabasePollMemory implements PollMemory {
    private final HikariDataSource database;
    private final String claim;
    private final String complete;

    public DatabasePollMemory(HikariDataSource database, String run) {
        this.database = database;
        String table = "by_hand_" + run.toLowerCase(Locale.ROOT).replace('-', '_');
        new JdbcTemplate(database)
                .execute(
                        "CREATE TABLE " + table
                                + " (id text PRIMARY KEY, done boolean NOT NULL, at timestamptz NOT NULL) WITH (fillfactor = 54)");
        this.claim = "INSERT INTO " + table
                + " SELECT u, false, now() FROM unnest(?) AS u ON CONFLICT DO NOTHING RETURNING id";
        this.complete = "UPDATE " + table + " SET done = true, at = now() WHERE id = ANY (?)";
    }

    @Override
    public Set<String> claim(Collection<String> ids) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(claim)) {
            statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
            Set<String> won = new HashSet<>();
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    won.add(result.getString(1));
                }
            }
            return won;
        } catch (SQLException e) {
            throw new IllegalStateException("no claim", e);
        }
    }

    @Override
    public void complete(List<String> ids) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(complete)) {
            statement.setArray(1, connection.createArrayOf("text", ids.toArray()));
            if (statement.executeUpdate() != ids.size()) {
                throw new IllegalStateException("not all of them were there");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("not completed", e);
        }
    }

    @Override
    public void close() {
        // the caller, who passed the pool, closes it
    }
}
