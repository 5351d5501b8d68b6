package io.dedup.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.PrefilledStore;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A PostgreSQL that is filled with copies of a row that the store wrote. */
public final class PrefilledPostgres implements PrefilledStore {
    private static final String TABLE = JdbcDedupStoreBuilder.DEFAULT_TABLE;
    private static final String ID_COLUMN = "message_id";

    private final DatabaseUnderTest database;

    public PrefilledPostgres(Network network) {
        database = DatabaseUnderTest.postgres(network);
    }

    @Override
    public String name() {
        return database.name();
    }

    @Override
    public DedupStore store() {
        return database.store();
    }

    public HikariDataSource pool() {
        return database.pool();
    }

    @Override
    public void fill(int size) {
        StoreRequests.process(store(), List.of(Ids.text(0)));
        try (Connection connection = database.pool().getConnection()) {
            new PostgresFiller(connection, TABLE, ID_COLUMN).fill(size);
        } catch (SQLException e) {
            throw new IllegalStateException("can't fill the table", e);
        }
    }

    @Override
    public void clear() {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            int ignored = statement.executeUpdate("TRUNCATE " + TABLE);
        } catch (SQLException e) {
            throw new IllegalStateException("can't empty the table", e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
