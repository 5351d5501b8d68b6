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

/** A table of MariaDB that a claim upserts into, with an answer for each ID, and a completion updates. */
abstract class MariaDbUpserts implements ByHandStore {
    private final DataSource database;
    private final Sql sql;

    /** Creates the table if there is none. The caller closes the pool. */
    MariaDbUpserts(DataSource database, Sql sql) {
        this.database = database;
        this.sql = sql;
        new JdbcTemplate(database).execute(sql.create());
    }

    /**
     * The statements.
     *
     * @param insert up to the rows
     * @param row of one ID; its parameters are the ID and the owner
     * @param takeOver what follows the rows; returns the ID first
     * @param done up to the ID; its parameter is the owner
     */
    record Sql(String create, String insert, String row, String takeOver, String done) {}

    /** Reads what a claim has found. */
    abstract State state(ResultSet row, String owner) throws SQLException;

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
        String text = sql.insert() + sql.row() + ("," + sql.row()).repeat(ids.size() - 1) + sql.takeOver();
        try (Connection connection = database.getConnection();
                PreparedStatement claim = connection.prepareStatement(text)) {
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

    @Override
    public void completeAll(List<String> ids, String owner) {
        String text = sql.done() + (ids.size() == 1 ? " = ?" : " IN (?" + ",?".repeat(ids.size() - 1) + ")");
        try (Connection connection = database.getConnection();
                PreparedStatement done = connection.prepareStatement(text)) {
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
