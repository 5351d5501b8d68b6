package io.dedup.store.jdbc;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
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
 * Keeps records in one table of a relational database, in LEASED mode: on connections of its own, in autocommit mode,
 * never in the transaction of the calling thread. A rollback there doesn't undo a claim.
 *
 * <p>Thread-safe. A call lasts no longer than the pool's connection time-out and the query time-out together, and a few
 * times that when a batch meets a locked row. The heartbeat's {@link #renewAll} keeps a connection to itself, if the pool is
 * one whose size is known and at least 3 (HikariCP, Tomcat JDBC Pool, Commons DBCP2, UCP, c3p0).
 */
public final class JdbcDedupStore implements DedupStore, StuckRecordFinder {
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
        return JdbcTransactions.of(this, manager, table);
    }

    /** How many connections the pool hands out at most; empty where that can't be found out. */
    public OptionalInt maxConnections() {
        return maxConnections;
    }

    /** Whether both have their records in one table. */
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
    public ClaimResult claim(ClaimRequest request) {
        return operations.claim(request);
    }

    @Override
    public List<ClaimResult> claimAll(List<ClaimRequest> requests) {
        return operations.claimAll(requests);
    }

    @Override
    public WriteResult complete(CompleteRequest request) {
        return operations.complete(request);
    }

    @Override
    public List<WriteResult> completeAll(List<CompleteRequest> requests) {
        return operations.completeAll(requests);
    }

    @Override
    public WriteResult release(ReleaseRequest request) {
        return operations.release(request);
    }

    @Override
    public List<WriteResult> releaseAll(List<ReleaseRequest> requests) {
        return operations.releaseAll(requests);
    }

    @Override
    public WriteResult renew(RenewRequest request) {
        return operations.renew(request);
    }

    @Override
    public List<WriteResult> renewAll(List<RenewRequest> requests) {
        return operations.renewAll(requests);
    }

    @Override
    public Optional<StoredRecord> find(DedupKey key) {
        return operators.find(key);
    }

    /**
     * {@inheritDoc}
     *
     * <p>One statement, which may read the whole table and ends after 30 s; it locks nothing.
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

    /** {@inheritDoc} About half of {@code max_allowed_packet} on MariaDB and MySQL, no limit on other databases. */
    @Override
    public int maxResultBytes() {
        return table.statementSize().maxResult();
    }

    /**
     * {@inheritDoc}
     *
     * <p>Inserts a row into the table, updates and deletes it: three round trips. Ends a connection that is read-only, since the
     * pool would keep it after a switch-over, and the next one may lead to the new primary server.
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

    /** Ends the purge in the background and gives the heartbeat's connection back. The pool stays open. */
    @Override
    public void close() {
        if (purger != null) {
            purger.close();
        }
        operators.close();
        operations.close();
    }
}
