package io.dedup.benchmarks.jdbc;

import io.dedup.benchmarks.network.Network;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** A database with as many expired records as are wanted. Thread-safe after it is filled. */
public final class PurgedDatabase implements AutoCloseable {
    private final DatabaseUnderTest database;
    private final boolean postgres;
    private final TableForm form;

    private PurgedDatabase(DatabaseUnderTest database, boolean postgres, TableForm form) {
        this.database = database;
        this.postgres = postgres;
        this.form = form;
    }

    public static PurgedDatabase postgres(Network network, TableForm form) {
        return new PurgedDatabase(DatabaseUnderTest.postgres(network, form), true, form);
    }

    /** A server that syncs its log to disk with each commit. */
    public static PurgedDatabase syncedPostgres() {
        return new PurgedDatabase(DatabaseUnderTest.syncedPostgres(Network.LOOPBACK), true, TableForm.LEASED);
    }

    public static PurgedDatabase mariadb(Network network, TableForm form) {
        return new PurgedDatabase(DatabaseUnderTest.largeMariadb(network, form), false, form);
    }

    public String name() {
        return database.name();
    }

    public DedupStore store() {
        return database.store();
    }

    /** A second store on the same table, as in another process, which begins to purge at once. */
    public JdbcDedupStore purging(int batch) {
        return JdbcDedupStore.builder(database.pool())
                .keyFormat(form.keys())
                .purgeBatch(batch)
                .purgeInterval(Duration.ofMillis(100))
                .build();
    }

    /** Writes records whose window ended one to two hours ago. */
    public void fillExpired(int size) {
        fill(size, now() - Duration.ofHours(2).toMillis() * 1_000);
    }

    /** Writes records whose window ends in a week. */
    public void fillDone(int size) {
        fill(size, now() + Duration.ofDays(7).toMillis() * 1_000);
    }

    private static long now() {
        return System.currentTimeMillis() * 1_000;
    }

    private void fill(int size, long firstEnd) {
        try (Connection connection = database.pool().getConnection()) {
            new RecordFiller(connection, postgres, form).fill(size, firstEnd);
            database.pool().evictConnection(connection); // its settings have been changed
        } catch (SQLException e) {
            throw new IllegalStateException("cannot fill the table", e);
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
            throw new IllegalStateException("cannot read the table", e);
        }
    }

    /** How many expired records are left. */
    public long expired() {
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM dedup_record WHERE expires_at < " + now())) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException("cannot read the table", e);
        }
    }

    /** Bytes on the disk: of the table with what is stored apart from it, of its primary key, and of the purge's index. */
    public long[] bytes() {
        String sql = postgres
                ? "SELECT pg_table_size('dedup_record'), pg_relation_size('dedup_record_pkey'),"
                        + " pg_relation_size('dedup_record_purge')"
                : "SELECT data_length, 0, index_length FROM information_schema.tables"
                        + " WHERE table_schema = DATABASE() AND table_name = 'dedup_record'";
        try (Connection connection = database.pool().getConnection()) {
            execute(connection, postgres ? List.of() : List.of("ANALYZE TABLE dedup_record"));
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return new long[] {row.getLong(1), row.getLong(2), row.getLong(3)};
            }
        } catch (SQLException e) {
            throw new IllegalStateException("cannot read the sizes", e);
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
