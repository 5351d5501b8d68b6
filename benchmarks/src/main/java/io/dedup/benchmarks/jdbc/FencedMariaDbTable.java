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
 * What {@link ByHandMariaDbTable} becomes if it has to promise what dedup does: a fencing token, a count of attempts, and a clock
 * that is read after a wait for a lock. That each wait ends is left to the settings of a pool of its own, which cost nothing; on
 * MariaDB.
 */
final class FencedMariaDbTable implements ByHandStore {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS by_hand_fenced (
                id varbinary(255) PRIMARY KEY, owner varbinary(64), token bigint NOT NULL, attempt int NOT NULL,
                ends_at bigint NOT NULL, done boolean NOT NULL, KEY by_hand_fenced_ends_at (ends_at)
            ) ENGINE = InnoDB""";

    /** In microseconds. NOW is the start of the statement, also after a wait. */
    private static final String CLOCK = "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', SYSDATE(6))";

    private static final String INSERT =
            "INSERT INTO by_hand_fenced (id, owner, token, attempt, ends_at, done) VALUES ";
    private static final String ROW = "(?, ?, " + CLOCK + ", 1, token + 30000000, FALSE)";

    /** MariaDB assigns from left to right: the end of what was there comes last. */
    private static final String TAKE_OVER =
            " ON DUPLICATE KEY UPDATE owner = IF(ends_at < VALUES(token), VALUES(owner), owner),"
                    + " token = IF(ends_at < VALUES(token), GREATEST(token + 1, VALUES(token)), token),"
                    + " attempt = IF(ends_at < VALUES(token), IF(done, 1, attempt + 1), attempt),"
                    + " done = done AND ends_at >= VALUES(token),"
                    + " ends_at = IF(ends_at < VALUES(token), VALUES(ends_at), ends_at)"
                    + " RETURNING id, owner, token, attempt, done";

    private static final String DONE = "UPDATE by_hand_fenced SET done = TRUE, owner = NULL, ends_at = " + CLOCK
            + " + 86400000000 WHERE owner = ? AND NOT done AND id";

    private final DataSource database;

    /** Creates the table if there is none. The caller closes the pool. */
    FencedMariaDbTable(DataSource database) {
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
                    states.put(row.getString(1), state(row, owner));
                }
            }
            return states;
        } catch (SQLException e) {
            throw new IllegalStateException("no answer from the database", e);
        }
    }

    private static State state(ResultSet row, String owner) throws SQLException {
        boolean isMine = owner.equals(row.getString(2)) && row.getLong(3) > 0 && row.getInt(4) > 0;
        return isMine ? State.MINE : row.getBoolean(5) ? State.DONE : State.IN_FLIGHT;
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
