package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A database with as many expired records as are wanted. Thread-safe after it is filled. */
public final class PurgedDatabase implements AutoCloseable {
    private static final int CHUNK = 10_000;
    private static final String COLUMNS =
            "message_id, scope, state, attempt, deaths, token, lease_until, completed_at, expires_at";

    private final DatabaseUnderTest database;
    private final boolean postgres;

    private PurgedDatabase(DatabaseUnderTest database, boolean postgres) {
        this.database = database;
        this.postgres = postgres;
    }

    public static PurgedDatabase postgres(Network network) {
        return new PurgedDatabase(DatabaseUnderTest.postgres(network), true);
    }

    /** A server that syncs its log to disk with each commit. */
    public static PurgedDatabase syncedPostgres() {
        return new PurgedDatabase(DatabaseUnderTest.syncedPostgres(Network.LOOPBACK), true);
    }

    public static PurgedDatabase mariadb(Network network) {
        return new PurgedDatabase(DatabaseUnderTest.mariadb(network), false);
    }

    public String name() {
        return database.name();
    }

    public DedupStore store() {
        return database.store();
    }

    /** A second store on the same table, as in another process, which begins to purge at once. */
    public JdbcDedupStore purging() {
        return JdbcDedupStore.builder(database.pool())
                .purgeInterval(Duration.ofMillis(100))
                .build();
    }

    /** Writes records of the {@link Ids} from 0 that were done 25 to 26 hours ago, for a window of a day. */
    public void fillExpired(int size) {
        fill(size, true);
    }

    /** Writes records that are done for ever. */
    public void fillForever(int size) {
        fill(size, false);
    }

    @SuppressWarnings("SqlSourceToSinkFlow") // from constants
    private void fill(int size, boolean expired) {
        String sql = "INSERT INTO dedup_record (" + COLUMNS + (postgres ? ", purge_hour" : "") + ") VALUES"
                + " (?, ?, 4, 1, 0, 1, 0, ?, ?" + (postgres ? ", ?" : "") + ")";
        long now = System.currentTimeMillis() * 1_000;
        try (Connection connection = database.pool().getConnection();
                PreparedStatement insert = connection.prepareStatement(sql)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < size; i++) {
                long completed = now
                        - Duration.ofHours(26).toMillis() * 1_000
                        + (long) (Duration.ofHours(1).toMillis() * 1_000.0 * i / size);
                long expires = expired ? completed + Duration.ofHours(24).toMillis() * 1_000 : Long.MAX_VALUE;
                insert.setBytes(1, Ids.text(i).getBytes(StandardCharsets.US_ASCII));
                insert.setBytes(2, StoreRequests.SCOPE.text().getBytes(StandardCharsets.UTF_8));
                insert.setLong(3, completed);
                insert.setLong(4, expires);
                if (postgres) {
                    insert.setInt(5, (int) Math.min(expires / 3_600_000_000L + 1, Integer.MAX_VALUE));
                }
                insert.addBatch();
                if (i % CHUNK == CHUNK - 1 || i == size - 1) {
                    insert.executeBatch();
                    connection.commit();
                }
            }
            connection.setAutoCommit(true);
            execute(connection, postgres ? List.of("VACUUM ANALYZE dedup_record", "CHECKPOINT") : List.of());
        } catch (SQLException e) {
            throw new IllegalStateException("can't fill the table", e);
        }
    }

    /** Whether no expired record is left. */
    public boolean isPurged() {
        String sql = "SELECT 1 FROM dedup_record WHERE expires_at < "
                + (System.currentTimeMillis() - Duration.ofMinutes(5).toMillis()) * 1_000
                + (postgres ? " AND purge_hour <= " + System.currentTimeMillis() / 3_600_000 : "") + " LIMIT 1";
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return !row.next();
        } catch (SQLException e) {
            throw new IllegalStateException("can't read the table", e);
        }
    }

    /** Bytes on the disk: of the table, and of its indexes beside it. */
    public long[] bytes() {
        String sql = postgres
                ? "SELECT pg_table_size('dedup_record'), pg_indexes_size('dedup_record')"
                : "SELECT data_length, index_length FROM information_schema.tables"
                        + " WHERE table_schema = DATABASE() AND table_name = 'dedup_record'";
        try (Connection connection = database.pool().getConnection()) {
            execute(connection, postgres ? List.of() : List.of("ANALYZE TABLE dedup_record"));
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return new long[] {row.getLong(1), row.getLong(2)};
            }
        } catch (SQLException e) {
            throw new IllegalStateException("can't read the sizes", e);
        }
    }

    @SuppressWarnings("SqlSourceToSinkFlow") // from constants
    private static void execute(Connection connection, List<String> statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                boolean ignored = statement.execute(sql);
            }
        }
    }

    @Override
    public void close() {
        database.close();
    }
}
