package io.dedup.benchmarks.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.PrefilledStore;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDedupStoreBuilder;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** A PostgreSQL that is filled with copies of a row that the store wrote. */
public final class PrefilledPostgres implements PrefilledStore {
    private static final String TABLE = JdbcDedupStoreBuilder.DEFAULT_TABLE;
    private static final String ID_COLUMN = "message_id";
    private static final String ID = "convert_from(" + ID_COLUMN + ", 'UTF8')";
    private static final List<String> COPIES = List.of(
            "INSERT INTO by_hand (id, ends_at, done) SELECT " + ID + ", now() + interval '24 hours', true FROM " + TABLE
                    + " ORDER BY 1",
            "INSERT INTO seen (id, at) SELECT " + ID + ", now() FROM " + TABLE + " ORDER BY 1",
            "VACUUM ANALYZE by_hand",
            "VACUUM ANALYZE seen",
            "CHECKPOINT");

    private static final String TRUNCATE_ALL = """
            DO $$ BEGIN
                EXECUTE (SELECT 'TRUNCATE ' || string_agg(format('%I', tablename), ', ')
                         FROM pg_tables WHERE schemaname = current_schema());
            END $$""";

    private final DatabaseUnderTest database;

    public PrefilledPostgres(Network network) {
        database = DatabaseUnderTest.postgres(network);
    }

    @Override
    public String name() {
        return database.name();
    }

    @Override
    public JdbcDedupStore store() {
        return database.store();
    }

    public HikariDataSource pool() {
        return database.pool();
    }

    /** The ways to handle messages with this server, from some distance. Closing it leaves the server running. */
    public DatabaseHandling handling(Network network) {
        return DatabaseHandling.of(name(), database.from(network));
    }

    /** Stores the same IDs in the tables of what is written by hand, which {@link #handling} has created. */
    public void fillByHand() {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : COPIES) {
                int ignored = statement.executeUpdate(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot fill the tables by hand", e);
        }
    }

    @Override
    public void fill(int size) {
        StoreRequests.process(store(), List.of(Ids.text(0)));
        try (Connection connection = database.pool().getConnection()) {
            new PostgresFiller(connection, TABLE, ID_COLUMN).fill(size);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot fill the table", e);
        }
    }

    /** Empties all tables, also those of what is written by hand: an insert costs more in a large index. */
    public void clearAll() {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TRUNCATE_ALL);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot empty the tables", e);
        }
    }

    @Override
    public void clear() {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            int ignored = statement.executeUpdate("TRUNCATE " + TABLE);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot empty the table", e);
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
