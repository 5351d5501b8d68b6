package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.subject.ByHandStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * A row for each message, claimed by an upsert that takes over what has ended, completed by a conditional update; on
 * PostgreSQL. The index is what a purge of expired rows needs.
 */
public final class ByHandTable implements ByHandStore {
    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS by_hand (
                id text PRIMARY KEY, owner text, ends_at timestamptz NOT NULL, done boolean NOT NULL
            ) WITH (fillfactor = 54)""";
    private static final String INDEX = "CREATE INDEX IF NOT EXISTS by_hand_ends_at ON by_hand (ends_at)";

    private static final String TAKE_OVER =
            " ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, ends_at = excluded.ends_at, done = false"
                    + " WHERE t.ends_at < clock_timestamp()";
    private static final String CLAIM = "INSERT INTO by_hand AS t (id, owner, ends_at, done)"
            + " VALUES (?, ?, clock_timestamp() + interval '30 seconds', false)" + TAKE_OVER;
    private static final String CLAIM_ALL = "INSERT INTO by_hand AS t (id, owner, ends_at, done)"
            + " SELECT u, ?, clock_timestamp() + interval '30 seconds', false FROM unnest(?) AS u ORDER BY u"
            + TAKE_OVER
            + " RETURNING id";
    private static final String FIND = "SELECT done FROM by_hand WHERE id = ?";
    private static final String FIND_ALL = "SELECT id, done FROM by_hand WHERE id = ANY (?)";
    private static final String DONE =
            "UPDATE by_hand SET done = true, owner = NULL, ends_at = clock_timestamp() + interval '24 hours' WHERE ";
    private static final String MINE = " AND owner = ? AND NOT done";

    private final DataSource database;

    /** Creates the table if there is none. The caller closes the pool. */
    public ByHandTable(DataSource database) {
        this.database = database;
        JdbcTemplate jdbc = new JdbcTemplate(database);
        jdbc.execute(CREATE);
        jdbc.execute(INDEX);
    }

    /** Begins anew. */
    void clear() {
        new JdbcTemplate(database).execute("TRUNCATE TABLE by_hand");
    }

    @Override
    public State claim(String id, String owner) {
        return with(connection -> {
            try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
                claim.setString(1, id);
                claim.setString(2, owner);
                if (claim.executeUpdate() == 1) {
                    return State.MINE;
                }
            }
            try (PreparedStatement find = connection.prepareStatement(FIND)) {
                find.setString(1, id);
                try (ResultSet found = find.executeQuery()) {
                    return found.next() && found.getBoolean(1) ? State.DONE : State.IN_FLIGHT;
                }
            }
        });
    }

    @Override
    public void complete(String id, String owner) {
        int written = with(connection -> {
            try (PreparedStatement done = connection.prepareStatement(DONE + "id = ?" + MINE)) {
                done.setString(1, id);
                done.setString(2, owner);
                return done.executeUpdate();
            }
        });
        require(written == 1);
    }

    @Override
    public Map<String, State> claimAll(Collection<String> ids, String owner) {
        return with(connection -> {
            Map<String, State> states = new HashMap<>(2 * ids.size());
            try (PreparedStatement claim = connection.prepareStatement(CLAIM_ALL)) {
                claim.setString(1, owner);
                claim.setArray(2, connection.createArrayOf("text", ids.toArray()));
                try (ResultSet won = claim.executeQuery()) {
                    while (won.next()) {
                        states.put(won.getString(1), State.MINE);
                    }
                }
            }
            List<String> others = new ArrayList<>();
            for (String id : ids) {
                if (!states.containsKey(id)) {
                    others.add(id);
                }
            }
            if (!others.isEmpty()) {
                try (PreparedStatement find = connection.prepareStatement(FIND_ALL)) {
                    find.setArray(1, connection.createArrayOf("text", others.toArray()));
                    try (ResultSet found = find.executeQuery()) {
                        while (found.next()) {
                            states.put(found.getString(1), found.getBoolean(2) ? State.DONE : State.IN_FLIGHT);
                        }
                    }
                }
            }
            return states;
        });
    }

    @Override
    public void completeAll(List<String> ids, String owner) {
        int written = with(connection -> {
            try (PreparedStatement done = connection.prepareStatement(DONE + "id = ANY (?)" + MINE)) {
                done.setArray(1, connection.createArrayOf("text", ids.toArray()));
                done.setString(2, owner);
                return done.executeUpdate();
            }
        });
        require(written == ids.size());
    }

    private static void require(boolean written) {
        if (!written) {
            throw new IllegalStateException("a claim is lost");
        }
    }

    private interface Work<T> {
        T with(Connection connection) throws SQLException;
    }

    private <T> T with(Work<T> work) {
        try (Connection connection = database.getConnection()) {
            return work.with(connection);
        } catch (SQLException e) {
            throw new IllegalStateException("no answer from the database", e);
        }
    }

    @Override
    public void close() {
        // the caller, who passed the pool, closes it
    }
}
