package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRecords;
import io.dedup.store.StepRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.connection.DataSources;
import io.dedup.store.jdbc.internal.connection.OwnConnections;
import io.dedup.store.jdbc.internal.failure.SqlCauses;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.operation.LeaseOperations;
import io.dedup.store.jdbc.internal.operation.OperatorCommands;
import io.dedup.store.jdbc.internal.operation.StoreCalls;
import io.dedup.store.jdbc.internal.purge.Purge;
import io.dedup.store.jdbc.internal.purge.Purger;
import io.dedup.store.jdbc.internal.start.StoreParts;
import io.dedup.store.jdbc.internal.transaction.RecordTable;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportingStore;
import io.dedup.store.operator.RecordEraser;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecordFinder;
import io.dedup.store.operator.StuckRecords;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * Stores records in one table of a relational database, for mode LEASED. It uses its own connections in autocommit
 * mode, never the transaction of the calling thread: a rollback there does not undo a claim.
 *
 * <p>Thread-safe. A call takes at most the pool's connection timeout plus the query timeout, and a few times that if a
 * batch meets a locked row. The heartbeat's {@link #renew} keeps one connection to itself if the size of the pool is
 * known (HikariCP, Tomcat JDBC Pool, Commons DBCP2, UCP, c3p0) and at least 3.
 */
public final class JdbcDedupStore implements DedupStore, StepRecords, StuckRecordFinder, ImportingStore, RecordEraser {
    private final RecordTable table;
    private final StoreCalls calls;
    private final LeaseOperations operations;
    private final OperatorCommands operators;
    private final Purge purge;
    private final @Nullable Purger purger;
    private final List<String> warnings;
    private final OptionalInt maxConnections;

    /** Opened by {@link JdbcDedupStoreBuilder#build()}, which has checked table and server. */
    JdbcDedupStore(StoreParts parts, @Nullable Duration purgeInterval) {
        this.table = parts.table();
        this.calls = parts.calls();
        this.operations = parts.operations();
        this.operators = parts.operators();
        this.purge = parts.purge();
        this.purger = purgeInterval == null ? null : Purger.start(table.name(), purgeInterval, purge);
        this.warnings = parts.warnings();
        this.maxConnections = parts.maxConnections();
    }

    /**
     * Returns a builder of a store.
     *
     * @param dataSource a pool, which the caller closes; not a proxy that takes part in transactions
     */
    public static JdbcDedupStoreBuilder builder(DataSource dataSource) {
        return new JdbcDedupStoreBuilder(dataSource);
    }

    /**
     * Returns what opens transactions for handlers and keeps records of the same table in them.
     *
     * @param manager opens transactions on this store's {@code DataSource}; one is opened at once to check this
     * @throws IllegalStateException if the transaction manager or the server cannot be used
     * @throws DedupStoreException if the database cannot be reached
     */
    public JdbcTransactions transactions(PlatformTransactionManager manager) {
        return JdbcTransactions.of(this, manager, table);
    }

    /** Returns the maximum number of connections of the pool; empty if it is unknown. */
    public OptionalInt maxConnections() {
        return maxConnections;
    }

    /** Whether both stores use the same table. */
    boolean isOfSameTable(JdbcDedupStore other) {
        return this == other
                || (DataSources.target(table.dataSource()) == DataSources.target(other.table.dataSource())
                        && table.name().equals(other.table.name()));
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
        return table.settings().attemptRetention();
    }

    @Override
    public List<ClaimResult> claim(List<ClaimRequest> requests) {
        return operations.claim(requests);
    }

    @Override
    public List<WriteResult> complete(List<CompleteRequest> requests) {
        return operations.complete(requests);
    }

    @Override
    public List<WriteResult> release(List<ReleaseRequest> requests) {
        return operations.release(requests);
    }

    @Override
    public List<WriteResult> renew(List<RenewRequest> requests) {
        return operations.renew(requests);
    }

    /** {@inheritDoc} Steps are in the column of results, which an unfinished record does not need. */
    @Override
    public List<WriteResult> keepSteps(List<StepRequest> requests) {
        return operations.keepSteps(requests);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return operators.find(key);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Runs one statement, which may read the whole table and ends after 30 s. It locks nothing.
     *
     * @throws UnsupportedOperationException if the table keeps digests in place of message IDs
     */
    @Override
    public StuckRecords findStuck(StuckQuery query) {
        return operators.findStuck(query);
    }

    @Override
    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return operators.forget(key, liveLease);
    }

    @Override
    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        return operators.forceDone(key, window, liveLease);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Waits for a record that another transaction has locked, at most as long as the lock timeout. Then the result is
     * {@code HELD} on PostgreSQL, MariaDB and MySQL, because a handler in mode TRANSACTIONAL may be running, and an error
     * on other databases.
     */
    @Override
    public List<ImportResult> importDone(List<ImportRequest> requests) {
        return operations.importDone(requests);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Takes two round trips and one for each record. The primary key begins with the ID, so nothing else is read.
     *
     * @throws UnsupportedOperationException if the table keeps digests in place of message IDs: a digest contains the
     *     scope, so call {@link #forget} for each scope
     */
    @Override
    public Erasure erase(String storedId, LiveLease liveLease) {
        return operators.erase(storedId, liveLease);
    }

    /** {@inheritDoc} About half of {@code max_allowed_packet} on MariaDB and MySQL, no limit on other databases. */
    @Override
    public int maxResultBytes() {
        return table.statementSize().maxResult();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Inserts a row into the table, updates it and deletes it, in three round trips. If a connection is read-only,
     * closes it: after a switch-over, the pool would otherwise keep it, and a new one may reach the new primary server.
     */
    @Override
    public void ping() {
        calls.run("ping", connection -> {
            try {
                table.probe().run(connection);
            } catch (SQLException e) {
                if (SqlCauses.anySql(e, SqlErrors::isReadOnly)) {
                    OwnConnections.end(connection);
                }
                throw e;
            }
            return this;
        });
    }

    /**
     * Removes expired records in batches of the configured size, without the pauses of the background purge. Skips
     * records that another session has locked, if the database supports that. PostgreSQL's purge index has a resolution
     * of hours, so a record is removed only after its hour has passed: a DONE record up to three hours after it
     * expired, a released one up to two days after. It counts as absent meanwhile.
     *
     * @param limit the maximum number of records to remove
     * @return the number of removed records
     * @throws DedupStoreException if the database fails; records removed before that stay removed
     */
    public int purgeExpired(int limit) {
        return purge.upTo(limit);
    }

    /** Stops the background purge and returns the heartbeat's connection to the pool. The pool stays open. */
    @Override
    public void close() {
        if (purger != null) {
            purger.close();
        }
        operators.close();
        operations.close();
    }
}
