package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.subject.ByHandStore;
import java.sql.Array;
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
 * What {@link ByHandTable} becomes if it has to promise what dedup does: a fencing token, a count of attempts, one round trip for
 * a duplicate, and no wait for a transaction that is completing the same message. A takeover has a statement of its own. That each
 * wait for a lock ends is left to the settings of a pool of its own, which cost nothing; on PostgreSQL.
 */
final class FencedTable implements ByHandStore {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS by_hand_fenced (
                id text COLLATE "C" PRIMARY KEY, owner text COLLATE "C", token bigint NOT NULL, attempt integer NOT NULL,
                ends_at timestamptz NOT NULL, done boolean NOT NULL
            ) WITH (fillfactor = 54)""";
    private static final String INDEX = "CREATE INDEX IF NOT EXISTS by_hand_fenced_ends_at ON by_hand_fenced (ends_at)";

    private static final String TOKEN = "(date_part('epoch', clock_timestamp()) * 1000000)::bigint";
    private static final String LEASE = "clock_timestamp() + interval '30 seconds'";
    private static final String CLAIM = """
            WITH seen AS MATERIALIZED (
                SELECT id, done, ends_at < clock_timestamp() AS ended FROM by_hand_fenced WHERE {mine}),
            won AS (
                INSERT INTO by_hand_fenced (id, owner, token, attempt, ends_at, done)
                SELECT {new}
                ON CONFLICT (id) DO NOTHING
                RETURNING id, token)
            SELECT id, token, NULL::boolean, NULL::boolean FROM won
            UNION ALL
            SELECT id, NULL, done, ended FROM seen
            """;
    private static final String CLAIM_ONE = CLAIM.replace("{mine}", "id = ?")
            .replace("{new}", "?, ?, " + TOKEN + ", 1, " + LEASE + ", false WHERE NOT EXISTS (SELECT FROM seen)");
    private static final String CLAIM_ALL = CLAIM.replace("{mine}", "id = ANY (?)")
            .replace(
                    "{new}",
                    "u, ?, " + TOKEN + ", 1, " + LEASE + ", false FROM unnest(?) AS u"
                            + " WHERE u NOT IN (SELECT id FROM seen) ORDER BY u");
    private static final String TAKE_OVER = "UPDATE by_hand_fenced SET owner = ?, token = greatest(token + 1, " + TOKEN
            + "), attempt = CASE WHEN done THEN 1 ELSE attempt + 1 END, ends_at = " + LEASE
            + ", done = false WHERE id = ? AND ends_at < clock_timestamp()";
    private static final String DONE = "UPDATE by_hand_fenced SET done = true, owner = NULL,"
            + " ends_at = clock_timestamp() + interval '24 hours' WHERE owner = ? AND NOT done AND id = ";

    private final DataSource database;

    /** Creates the table if there is none. The caller closes the pool. */
    FencedTable(DataSource database) {
        this.database = database;
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute(CREATE);
        jdbc.execute(INDEX);
    }

    private interface Parameters {
        void bind(Connection connection, PreparedStatement statement) throws SQLException;
    }

    @Override
    public State claim(String id, String owner) {
        Map<String, State> states = claim(CLAIM_ONE, owner, (connection, statement) -> {
            statement.setString(1, id);
            statement.setString(2, id);
            statement.setString(3, owner);
        });
        return states.getOrDefault(id, State.IN_FLIGHT); // another session inserted it a moment ago
    }

    @Override
    public Map<String, State> claimAll(Collection<String> ids, String owner) {
        return claim(CLAIM_ALL, owner, (connection, statement) -> {
            Array all = connection.createArrayOf("text", ids.toArray());
            statement.setArray(1, all);
            statement.setString(2, owner);
            statement.setArray(3, all);
        });
    }

    private Map<String, State> claim(String sql, String owner, Parameters parameters) {
        try (Connection connection = database.getConnection();
                PreparedStatement claim = connection.prepareStatement(sql)) {
            parameters.bind(connection, claim);
            Map<String, State> states = new HashMap<>();
            try (ResultSet row = claim.executeQuery()) {
                while (row.next()) {
                    states.put(row.getString(1), state(connection, row, owner));
                }
            }
            return states;
        } catch (SQLException e) {
            throw new IllegalStateException("no answer from the database", e);
        }
    }

    private static State state(Connection connection, ResultSet row, String owner) throws SQLException {
        long token = row.getLong(2);
        if (token > 0) {
            return State.MINE;
        }
        if (row.getBoolean(4)) {
            return takeOver(connection, row.getString(1), owner) ? State.MINE : State.IN_FLIGHT;
        }
        return row.getBoolean(3) ? State.DONE : State.IN_FLIGHT;
    }

    private static boolean takeOver(Connection connection, String id, String owner) throws SQLException {
        try (PreparedStatement takeOver = connection.prepareStatement(TAKE_OVER)) {
            takeOver.setString(1, owner);
            takeOver.setString(2, id);
            return takeOver.executeUpdate() == 1;
        }
    }

    @Override
    public void complete(String id, String owner) {
        complete(DONE + "?", 1, (connection, statement) -> {
            statement.setString(1, owner);
            statement.setString(2, id);
        });
    }

    @Override
    public void completeAll(List<String> ids, String owner) {
        complete(DONE + "ANY (?)", ids.size(), (connection, statement) -> {
            statement.setString(1, owner);
            statement.setArray(2, connection.createArrayOf("text", ids.toArray()));
        });
    }

    private void complete(String sql, int count, Parameters parameters) {
        try (Connection connection = database.getConnection();
                PreparedStatement done = connection.prepareStatement(sql)) {
            parameters.bind(connection, done);
            if (done.executeUpdate() != count) {
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
