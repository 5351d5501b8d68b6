package io.dedup.store.jdbc.internal.start;

import io.dedup.store.jdbc.internal.connection.DataSources;
import io.dedup.store.jdbc.internal.connection.HeartbeatConnection;
import io.dedup.store.jdbc.internal.connection.OwnConnections;
import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import io.dedup.store.jdbc.internal.connection.PoolSize;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.ServerVersion;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.intermediary.GaleraCluster;
import io.dedup.store.jdbc.internal.intermediary.SharedSessions;
import io.dedup.store.jdbc.internal.lookalike.KeyPadding;
import io.dedup.store.jdbc.internal.lookalike.LookAlikes;
import io.dedup.store.jdbc.internal.lookalike.ServerProduct;
import io.dedup.store.jdbc.internal.operation.ErasedRows;
import io.dedup.store.jdbc.internal.operation.LeaseOperations;
import io.dedup.store.jdbc.internal.operation.OperatorCommands;
import io.dedup.store.jdbc.internal.operation.StatementPieces;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.operation.StoreCalls;
import io.dedup.store.jdbc.internal.operation.StuckRows;
import io.dedup.store.jdbc.internal.purge.Purge;
import io.dedup.store.jdbc.internal.schema.Schema;
import io.dedup.store.jdbc.internal.sql.Database;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.KeyFormat;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.transaction.RecordTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connects, checks the server and the table, and creates a store from its parts. */
public final class StoreOpener {
    private static final Duration STUCK_TIMEOUT = Duration.ofSeconds(30);

    private final DataSource dataSource;
    private final JdbcSettings settings;
    private final Schema.Creation creation;
    private final int purgeBatch;

    /**
     * Creates an opener for these settings.
     *
     * @throws IllegalArgumentException if the data source cannot be used
     */
    public StoreOpener(DataSource dataSource, JdbcSettings settings, Schema.Creation creation, int purgeBatch) {
        DataSources.requireOwnConnections(dataSource);
        this.dataSource = dataSource;
        this.settings = settings;
        this.creation = creation;
        this.purgeBatch = purgeBatch;
    }

    /**
     * Opens a store.
     *
     * @param database null to derive it from the connection's metadata
     * @param clockQuery the user's query, for the generic dialect; null for the standard one
     * @throws IllegalStateException if the server or the table cannot be used
     * @throws io.dedup.DedupStoreException if the database cannot be reached or used
     */
    public StoreParts open(@Nullable Database database, @Nullable String clockQuery) {
        OwnConnections connections = new OwnConnections(dataSource, settings.networkTimeoutMillis());
        Database actual = database == null ? detect(connections) : database;
        requireKnownDigests(actual);
        SqlFailures failures = new SqlFailures(settings, actual);
        Dialect dialect = Dialects.create(actual, settings, failures, clockQuery);
        StatementSize statementSize = new StatementSize(dialect);
        PoolSize poolSize = PoolSize.of(dataSource);
        List<String> warnings = new ArrayList<>(poolSize == null ? List.of() : poolSize.warnings());
        try (Borrowed borrowed = connections.open()) {
            LookAlikes lookAlikes = new LookAlikes(actual, settings.table(), dialect.probe());
            ServerProduct product = lookAlikes.identify(borrowed.connection());
            if (actual == Database.POSTGRESQL) {
                checkPooler(borrowed.connection(), connections, poolSize);
            } else if (product != null) {
                GaleraCluster.check(borrowed.connection());
            }
            requireCommitted(borrowed.connection(), actual);
            warnings.addAll(dialect.checkServer(borrowed.connection()));
            Schema schema = new Schema(settings.table(), settings.keys(), actual);
            schema.prepare(borrowed.connection(), creation);
            warnings.addAll(schema.warnings(borrowed.connection()));
            dialect.probe().run(borrowed.connection());
            if (actual == Database.GENERIC) {
                new KeyPadding(settings.table(), dialect.probe()).check(borrowed.connection());
            }
            warnings.addAll(lookAlikes.check(product, borrowed.connection(), questions -> {
                try (Borrowed second = connections.open()) {
                    return questions.ask(second.connection());
                }
            }));
            statementSize.ask(borrowed.connection());
        } catch (SQLException e) {
            throw failures.failed("start", e);
        }
        RecordTable table = new RecordTable(
                dataSource,
                settings,
                dialect.records(),
                dialect.probe(),
                new StatementPieces(settings.maxBatch(), statementSize),
                failures);
        return parts(table, connections, dialect, poolSize, warnings);
    }

    private StoreParts parts(
            RecordTable table,
            OwnConnections connections,
            Dialect dialect,
            @Nullable PoolSize poolSize,
            List<String> warnings) {
        SqlFailures failures = table.failures();
        StoreCalls calls = new StoreCalls(connections, failures);
        OwnConnections longReads = new OwnConnections(dataSource, JdbcSettings.networkTimeoutMillis(STUCK_TIMEOUT));
        LeaseOperations operations = new LeaseOperations(
                connections,
                new HeartbeatConnection(connections, poolSize != null && poolSize.isEnoughToKeepOne()),
                dialect,
                table.pieces(),
                settings.queryTimeout(),
                failures);
        OperatorCommands operators = new OperatorCommands(
                calls,
                new StoreCalls(longReads, failures),
                dialect.rows(),
                new StuckRows(settings.table(), settings.keys(), seconds(dialect, STUCK_TIMEOUT)),
                new ErasedRows(
                        settings.table(),
                        settings.keys(),
                        dialect.rows(),
                        new Statements(seconds(dialect, settings.queryTimeout()))),
                failures);
        return new StoreParts(
                table,
                calls,
                operations,
                operators,
                new Purge(calls, dialect, failures, purgeBatch),
                warnings,
                poolSize == null ? OptionalInt.empty() : OptionalInt.of(poolSize.connections()));
    }

    /** Comes early: behind some poolers a question that is repeated often enough fails. */
    private void checkPooler(Connection connection, OwnConnections connections, @Nullable PoolSize poolSize)
            throws SQLException {
        boolean poolOfOne = poolSize != null && poolSize.connections() == 1;
        new SharedSessions(settings.table()).check(connection, poolOfOne, questions -> {
            try (Borrowed second = connections.open()) {
                questions.ask(second.connection());
            }
        });
    }

    /** Some databases store an empty scope as null, which a primary key does not permit. */
    private void requireKnownDigests(Database database) {
        if (settings.keys() == KeyFormat.DIGEST && database == Database.GENERIC) {
            throw new IllegalArgumentException(
                    "keyFormat DIGEST is not available with dialect GENERIC; set keyFormat to PLAIN");
        }
    }

    private Database detect(OwnConnections connections) {
        try (Borrowed borrowed = connections.open()) {
            return ServerVersion.read(borrowed.connection()).database();
        } catch (SQLException e) {
            throw new SqlFailures(settings, Database.GENERIC).failed("start", e);
        }
    }

    /** Rejects READ UNCOMMITTED, except on PostgreSQL, where it means READ COMMITTED. */
    private static void requireCommitted(Connection connection, Database database) throws SQLException {
        if (database != Database.POSTGRESQL
                && connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
            throw new IllegalStateException(
                    "The pool's connections run at READ UNCOMMITTED: a record that is rolled back later would count as"
                            + " DONE. Set their default isolation to READ COMMITTED (HikariCP: transactionIsolation)");
        }
    }

    private static int seconds(Dialect dialect, Duration timeout) {
        return dialect.timesStatements() ? JdbcSettings.wholeSeconds(timeout) : 0;
    }
}
