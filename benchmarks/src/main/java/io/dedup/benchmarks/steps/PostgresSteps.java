package io.dedup.benchmarks.steps;

import io.dedup.benchmarks.jdbc.DatabaseUnderTest;
import io.dedup.benchmarks.network.Network;
import io.dedup.store.DedupStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Steps on PostgreSQL; by hand an insert into a table of their own. */
public final class PostgresSteps implements StepSubject {
    private final DatabaseUnderTest database;

    public PostgresSteps(Network network) {
        this.database = DatabaseUnderTest.postgres(network);
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE step_by_hand (id text PRIMARY KEY, result bytea)");
        } catch (SQLException e) {
            throw new IllegalStateException("cannot create the table", e);
        }
    }

    @Override
    public String name() {
        return database.name();
    }

    @Override
    public DedupStore store() {
        return database.store();
    }

    @Override
    public void keepByHand(String messageId, byte[] result) {
        try (Connection connection = database.pool().getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO step_by_hand VALUES (?, ?) ON CONFLICT (id) DO NOTHING")) {
            insert.setString(1, messageId);
            insert.setBytes(2, result);
            insert.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("cannot insert the step", e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
