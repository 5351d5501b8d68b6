package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.subject.ByHandStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A row for each message, claimed by an upsert that takes over what has ended and returns who has it now, completed by a
 * conditional update; on MariaDB. The index is what a purge of expired rows needs.
 */
final class ByHandMariaDbTable implements ByHandStore {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS by_hand (
                id varchar(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY,
                owner varchar(64), ends_at timestamp(6) NOT NULL, done boolean NOT NULL, KEY by_hand_ends_at (ends_at)
            ) ENGINE = InnoDB""";

    private static final String INSERT = "INSERT INTO by_hand (id, owner, ends_at, done) VALUES ";
    private static final String ROW = "(?, ?, NOW(6) + INTERVAL 30 SECOND, FALSE)";

    /** MariaDB assigns from left to right: the end of what was there comes last. */
    private static final String TAKE_OVER =
            " ON DUPLICATE KEY UPDATE owner = IF(ends_at < NOW(6), VALUES(owner), owner),"
                    + " done = done AND ends_at >= NOW(6), ends_at = IF(ends_at < NOW(6), VALUES(ends_at), ends_at)"
                    + " RETURNING id, owner, done";

    private static final String DONE =
            "UPDATE by_hand SET done = TRUE, owner = NULL, ends_at = NOW(6) + INTERVAL 24 HOUR WHERE owner = ? AND NOT done AND id";

    private final DataSource database;

    /** Creates the table if there is none. The caller closes the pool. */
    ByHandMariaDbTable(DataSource database) {
        this.database = database;
        new JdbcTemplate(database).execute(CREATE);
    }

    @Override
    public State claim(String id, String owner) {
        return claimAll(List.of(id), owner).getOrDefault(id, State.IN_FLIGHT);
    }

    @Override
    public void complete(String id, String owner) {
        completeAll(List.of(id), owner);
    }

    @Override
    public Map<String, State> claimAll(Collection<String> ids, String owner) {
        String sql = INSERT + ROW + ("," + ROW).repeat(ids.size() - 1) + TAKE_OVER;
        try (Connection connection = database.getConnection();
                PreparedStatement claim = connection.prepareStatement(sql)) {
            int next = 1;
            for (String id : ids) {
                claim.setString(next++, id);
                claim.setString(next++, owner);
            }
            Map<String, State> states = new HashMap<>(2 * ids.size());
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    states.put(
                            row.getString(1),
                            owner.equals(row.getString(2))
                                    ? State.MINE
                                    : row.getBoolean(3) ? State.DONE : State.IN_FLIGHT);
                }
            }
            return states;
        } catch (SQLException e) {
            throw new IllegalStateException("no answer from the database", e);
        }
    }

    @Override
    public void completeAll(List<String> ids, String owner) {
        String sql = DONE + (ids.size() == 1 ? " = ?" : " IN (?" + ",?".repeat(ids.size() - 1) + ")");
        try (Connection connection = database.getConnection();
                PreparedStatement done = connection.prepareStatement(sql)) {
            done.setString(1, owner);
            for (int i = 0; i < ids.size(); i++) {
                done.setString(i + 2, ids.get(i));
            }
            if (done.executeUpdate() != ids.size()) {
                throw new IllegalStateException("a claim is lost");
            }
        } catch (SQLException e) {
            throw new IllegalStateException("no answer from the database", e);
        }
    }

    @Override
    public void close() {
        // the caller, who passed the pool, closes it
    }
}
