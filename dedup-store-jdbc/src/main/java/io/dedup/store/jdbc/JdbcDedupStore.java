package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.DedupStoreException;
import io.dedup.store.OperatorResult;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.StuckQuery;
import io.dedup.store.StuckRecords;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.DataSources;
import io.dedup.store.jdbc.internal.connection.HeartbeatConnection;
import io.dedup.store.jdbc.internal.connection.OwnConnections;
import io.dedup.store.jdbc.internal.connection.OwnConnections.Borrowed;
import io.dedup.store.jdbc.internal.connection.PoolSize;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.Causes;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.operation.BatchRunner;
import io.dedup.store.jdbc.internal.operation.Completions;
import io.dedup.store.jdbc.internal.operation.Operation;
import io.dedup.store.jdbc.internal.operation.Operations;
import io.dedup.store.jdbc.internal.operation.Operators;
import io.dedup.store.jdbc.internal.operation.StatementSize;
import io.dedup.store.jdbc.internal.operation.StuckRows;
import io.dedup.store.jdbc.internal.purge.Purge;
import io.dedup.store.jdbc.internal.purge.Purger;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Keeps records in one table of a relational database, in LEASED mode: on connections of its own, in autocommit mode,
 * never in the transaction of the calling thread. A rollback there doesn't undo a claim.
 *
 * <p>Thread-safe. A call lasts no longer than the pool's connection time-out and the query time-out together, and a few
 * times that when a batch meets a locked row. The heartbeat's {@link #renewAll} keeps a connection to itself, if the pool is
 * one whose size is known and at least 3 (HikariCP, Tomcat JDBC Pool, Commons DBCP2, UCP, c3p0).
 */
public final class JdbcDedupStore implements DedupStore {
    private static final Duration STUCK_TIMEOUT = Duration.ofSeconds(30);

    private final JdbcSettings settings;
    private final OwnConnections connections;
    private final OwnConnections longReads;
    private final HeartbeatConnection heartbeat;
    private final SqlFailures failures;
    private final Operations operations;
    private final Operators operators;
    private final RecordDialect records;
    private final List<String> warnings;
    private final OptionalInt maxConnections;
    private final WriteProbe probe;
    private final StatementSize statementSize;
    private final Completions completions;
    private final BatchRunner runner;
    private final StuckRows stuckRows;
    private final Purge purge;
    private final @Nullable Purger purger;

    /** Opened by {@link JdbcDedupStoreBuilder#build()}, which has checked table and server. */
    JdbcDedupStore(
            JdbcSettings settings,
            OwnConnections connections,
            SqlFailures failures,
            Dialect dialect,
            StatementSize statementSize,
            @Nullable PoolSize poolSize,
            List<String> warnings,
            int purgeBatch,
            @Nullable Duration purgeInterval) {
        this.settings = settings;
        this.connections = connections;
        this.longReads = new OwnConnections(connections.dataSource(), JdbcSettings.networkTimeoutMillis(STUCK_TIMEOUT));
        this.heartbeat = new HeartbeatConnection(connections, poolSize != null && poolSize.isEnoughToKeepOne());
        this.failures = failures;
        this.operations = Operations.of(dialect);
        this.operators = new Operators(dialect.rows(), failures);
        this.records = dialect.records();
        this.warnings = List.copyOf(warnings);
        this.maxConnections = poolSize == null ? OptionalInt.empty() : OptionalInt.of(poolSize.connections());
        this.probe = dialect.probe();
        this.statementSize = statementSize;
        this.runner = new BatchRunner(failures, statementSize, settings);
        this.completions = new Completions(
                statementSize,
                failures,
                connections,
                request -> one(operations.complete(), request),
                requests -> all(operations.complete(), requests));
        this.stuckRows = new StuckRows(
                settings.table(), dialect.timesStatements() ? JdbcSettings.wholeSeconds(STUCK_TIMEOUT) : 0);
        this.purge = new Purge(connections, dialect, failures, purgeBatch);
        this.purger = purgeInterval == null ? null : Purger.start(settings.table(), purgeInterval, purge);
    }

    /**
     * Begins to describe a store.
     *
     * @param dataSource a pool, which stays the caller's to close; not a proxy that takes part in transactions
     */
    public static JdbcDedupStoreBuilder builder(DataSource dataSource) {
        return new JdbcDedupStoreBuilder(dataSource);
    }

    /**
     * Keeps records of the same table in transactions of handlers.
     *
     * @param manager opens transactions on this store's {@code DataSource}; one is opened at once, to see that it does
     * @throws IllegalStateException when manager or server isn't fit
     * @throws DedupStoreException when the database can't be reached
     */
    public JdbcTransactions transactions(PlatformTransactionManager manager) {
        return JdbcTransactions.of(
                this, manager, connections.dataSource(), settings, records, probe, statementSize, failures);
    }

    /** How many connections the pool hands out at most; empty where that can't be found out. */
    public OptionalInt maxConnections() {
        return maxConnections;
    }

    /** Whether both have their records in one table. */
    boolean isOfSameTable(JdbcDedupStore other) {
        return this == other
                || (DataSources.target(connections.dataSource()) == DataSources.target(other.connections.dataSource())
                        && settings.table().equals(other.settings.table()));
    }

    @Override
    public String name() {
        return "jdbc";
    }

    @Override
    public List<String> warnings() {
        return warnings;
    }

    @Override
    public Duration attemptRetention() {
        return settings.attemptRetention();
    }

    @Override
    public ClaimResult claim(ClaimRequest request) {
        return one(operations.claim(), request);
    }

    @Override
    public List<ClaimResult> claimAll(List<ClaimRequest> requests) {
        return all(operations.claim(), requests);
    }

    @Override
    public WriteResult complete(CompleteRequest request) {
        return completions.one(request);
    }

    @Override
    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return completions.all(requests);
    }

    @Override
    public WriteResult release(ReleaseRequest request) {
        return one(operations.release(), request);
    }

    @Override
    public List<WriteResult> releaseAll(List<ReleaseRequest> requests) {
        return all(operations.release(), requests);
    }

    @Override
    public WriteResult renew(RenewRequest request) {
        return one(operations.renew(), request);
    }

    @Override
    public List<WriteResult> renewAll(List<RenewRequest> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        Operation<RenewRequest, WriteResult> operation = operations.renewUnlocked();
        try {
            return heartbeat.run(
                    connection -> runner.all(operation, connection, requests),
                    answers -> answers.stream().anyMatch(WriteResult.StoreError.class::isInstance));
        } catch (SQLException e) {
            return unanswered(operation, requests, e);
        }
    }

    private <Q, A> A one(Operation<Q, A> operation, Q request) {
        try (Borrowed borrowed = connections.open()) {
            A answer = runner.one(operation, borrowed.connection(), request);
            DedupStoreException error = operation.errorOf().apply(answer);
            if (error != null) {
                throw error;
            }
            return answer;
        } catch (SQLException e) {
            throw failures.failed(operation.name(), e);
        }
    }

    private <Q, A> List<A> all(Operation<Q, A> operation, List<Q> requests) {
        if (requests.isEmpty()) {
            return List.of();
        }
        try (Borrowed borrowed = connections.open()) {
            return runner.all(operation, borrowed.connection(), requests);
        } catch (SQLException e) {
            return unanswered(operation, requests, e);
        }
    }

    /** For want of a connection. */
    private <Q, A> List<A> unanswered(Operation<Q, A> operation, List<Q> requests, SQLException e) {
        DedupStoreException cause = failures.failed(operation.name(), e);
        return requests.stream().map(request -> operation.error().apply(cause)).toList();
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return with("find", connection -> operators.find(connection, key));
    }

    /**
     * {@inheritDoc}
     *
     * <p>One statement, which may read the whole table and ends after 30 s; it locks nothing.
     */
    @Override
    public StuckRecords findStuck(StuckQuery query) {
        long now = with("findStuck", operators::now);
        try (Borrowed borrowed = longReads.open()) {
            return stuckRows.find(borrowed.connection(), query, now);
        } catch (SQLException e) {
            throw failures.failed("findStuck", e);
        }
    }

    @Override
    public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
        return with("forget", connection -> operators.forget(connection, key, evenIfLeaseLive));
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, boolean evenIfLeaseLive) {
        return with("forceDone", connection -> operators.forceDone(connection, key, window, evenIfLeaseLive));
    }

    /** {@inheritDoc} About half of {@code max_allowed_packet} on MariaDB and MySQL, no limit on other databases. */
    @Override
    public int maxResultBytes() {
        return statementSize.maxResult();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Inserts a row into the table, updates and deletes it: three round trips. Ends a connection that is read-only, since the
     * pool would keep it after a switch-over, and the next one may lead to the new primary server.
     */
    @Override
    public void ping() {
        with("ping", connection -> {
            try {
                probe.run(connection);
            } catch (SQLException e) {
                if (Causes.anySql(e, SqlErrors::isReadOnly)) {
                    OwnConnections.end(connection);
                }
                throw e;
            }
            return this;
        });
    }

    /**
     * Removes expired records, in batches of the configured size and without the pauses of the purge in the background.
     * Records that another session has locked are left for the next time, where the database can skip them. On PostgreSQL,
     * where the index of the purge is on the hour, a record stays until its hour has passed: one that is done for up to three
     * hours after its end, one that was released for up to two days. It counts as absent meanwhile.
     *
     * @param limit how many at most
     * @return how many were removed
     * @throws DedupStoreException when the database fails; what was removed before stays removed
     */
    public int purgeExpired(int limit) {
        return purge.upTo(limit);
    }

    private interface Work<A> {
        A on(Connection connection) throws SQLException;
    }

    private <A> A with(String operation, Work<A> work) {
        try (Borrowed borrowed = connections.open()) {
            return work.on(borrowed.connection());
        } catch (SQLException e) {
            throw failures.failed(operation, e);
        }
    }

    /** Ends the purge in the background and gives the heartbeat's connection back. The pool stays open. */
    @Override
    public void close() {
        if (purger != null) {
            purger.close();
        }
        connections.close();
        longReads.close();
        heartbeat.close();
    }
}
