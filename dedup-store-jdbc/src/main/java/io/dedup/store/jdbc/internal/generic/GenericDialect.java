package io.dedup.store.jdbc.internal.generic;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.dialect.Dialect;
import io.dedup.store.jdbc.internal.dialect.ExpiredRows;
import io.dedup.store.jdbc.internal.dialect.LateRenewals;
import io.dedup.store.jdbc.internal.dialect.RecordDialect;
import io.dedup.store.jdbc.internal.dialect.SkipLocked;
import io.dedup.store.jdbc.internal.dialect.WriteProbe;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.generic.CompareAndSet.Step;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.sql.JdbcSettings;
import io.dedup.store.jdbc.internal.sql.Statements;
import io.dedup.store.jdbc.internal.sql.StoreClock;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import io.dedup.store.operator.ImportResult.Decision;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads a row, decides, and replaces the row if it has not changed: uses only standard SQL.
 *
 * <p>The time is read with the row. A write that then waits for a lock stores a time that is too early by that wait, at
 * most the lock timeout: leases and windows then end that much earlier, never later. A decision is never stale, because
 * a changed row is not replaced.
 */
public final class GenericDialect implements Dialect {
    private final Rows rows;
    private final LeaseTransitions transitions;
    private final CompareAndSet compareAndSet;
    private final SqlFailures failures;
    private final ExpiredRows expiredRows;
    private final @Nullable SkipLocked skipLocked;
    private final RecordDialect records;
    private final WriteProbe probe;

    public GenericDialect(
            JdbcSettings settings, SqlFailures failures, StoreClock clock, Statements statements, boolean h2) {
        this.rows = new Rows(settings.table(), settings.keys(), statements, clock, "");
        this.transitions = new LeaseTransitions(settings.retentionMicros());
        // H2 runs a batch row by row, and waits separately for each locked row.
        this.compareAndSet = new CompareAndSet(rows, failures.errors(), settings.queryTimeout(), !h2);
        this.failures = failures;
        this.expiredRows = new ExpiredRows(
                settings.table(), statements, clock, h2 ? ExpiredRows.Locking.FETCH : ExpiredRows.Locking.NONE);
        this.skipLocked = h2 ? new SkipLocked(settings.table(), settings.keys(), statements) : null;
        this.probe = new WriteProbe(settings.table(), statements, "");
        this.records = new GenericRecords(settings, statements, rows, failures.errors());
    }

    @Override
    public List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException {
        return compareAndSet.all(
                connection,
                requests,
                ClaimRequest::key,
                (request, row, now) -> {
                    ClaimResult refusal = LeaseTransitions.refusal(row, request, now);
                    if (refusal != null) {
                        return Step.unchanged(refusal);
                    }
                    Row next = transitions.claimed(row, request, now);
                    return Step.change(row, next, LeaseTransitions.acquired(next));
                },
                cause -> new ClaimResult.StoreError(failures.locked("claim", cause)));
    }

    @Override
    public List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests)
            throws SQLException {
        return compareAndSet.all(
                connection,
                requests,
                request -> request.claim().key(),
                (request, row, now) -> LeaseTransitions.isCompletedBefore(row, request, now)
                        ? Step.unchanged(WriteResult.applied())
                        : write(row, LeaseTransitions.completed(row, request, now)),
                cause -> new WriteResult.StoreError(failures.locked("complete", cause)));
    }

    @Override
    public List<@Nullable WriteResult> release(Connection connection, List<ReleaseRequest> requests)
            throws SQLException {
        return compareAndSet.all(
                connection,
                requests,
                request -> request.claim().key(),
                (request, row, now) -> write(row, transitions.released(row, request, now)),
                cause -> new WriteResult.StoreError(failures.locked("release", cause)));
    }

    @Override
    public List<@Nullable WriteResult> renewUnlocked(Connection connection, List<RenewRequest> requests)
            throws SQLException {
        if (skipLocked == null) {
            return renewWaiting(connection, requests);
        }
        List<DedupKey> keys =
                requests.stream().map(request -> request.claim().key()).toList();
        Set<DedupKey> late = new HashSet<>();
        List<@Nullable WriteResult> answers = SkipLocked.inTransaction(
                connection, () -> renew(connection, requests, skipLocked.lock(connection, keys), late));
        return LateRenewals.settle(requests, answers, late, failures.errors(), open -> renewWaiting(connection, open));
    }

    /** Waits for locked rows, but not longer than the lock timeout. */
    private List<@Nullable WriteResult> renewWaiting(Connection connection, List<RenewRequest> requests)
            throws SQLException {
        return renew(connection, requests, null, new HashSet<>());
    }

    /**
     * @param free the rows to be written, or null for all of them
     * @param late gets the keys of those that aren't free while their lease is over
     */
    private List<@Nullable WriteResult> renew(
            Connection connection, List<RenewRequest> requests, @Nullable Set<DedupKey> free, Set<DedupKey> late)
            throws SQLException {
        return compareAndSet.all(
                connection,
                requests,
                request -> request.claim().key(),
                (request, row, now) -> {
                    Row next = transitions.renewed(row, request, now);
                    boolean locked = next != null
                            && free != null
                            && !free.contains(request.claim().key());
                    if (locked && row != null && !row.isLive(now)) {
                        late.add(request.claim().key());
                    }
                    return locked ? Step.unchanged(lockedByOther(null)) : write(row, next);
                },
                this::lockedByOther);
    }

    private WriteResult lockedByOther(@Nullable SQLException cause) {
        return new WriteResult.StoreError(failures.locked("renew", cause));
    }

    private static Step<WriteResult> write(@Nullable Row row, @Nullable Row next) {
        return next == null ? Step.unchanged(WriteResult.leaseLost()) : Step.change(row, next, WriteResult.applied());
    }

    @Override
    public List<@Nullable ImportResult> importDone(Connection connection, List<ImportRequest> requests)
            throws SQLException {
        return compareAndSet.all(
                connection,
                requests,
                ImportRequest::key,
                (request, row, now) -> {
                    Decision refusal = LeaseTransitions.importRefusal(row, request, now);
                    return refusal != null
                            ? Step.<ImportResult>unchanged(refusal)
                            : Step.<ImportResult>change(
                                    row, LeaseTransitions.imported(row, request, now), Decision.IMPORTED);
                },
                cause -> Decision.HELD);
    }

    @Override
    public PurgeRun purge(Connection connection, int limit) throws SQLException {
        return expiredRows.purge(connection, limit);
    }

    @Override
    public boolean timesStatements() {
        return skipLocked == null; // or it is H2
    }

    @Override
    public WriteProbe probe() {
        return probe;
    }

    @Override
    public RecordDialect records() {
        return records;
    }

    @Override
    public Rows rows() {
        return rows;
    }

    @Override
    public List<String> checkServer(Connection connection) {
        try {
            expiredRows.now(connection);
        } catch (SQLException | RuntimeException e) {
            throw new DedupStoreException(
                    "Cannot read the database's time as a timestamp with time zone. Set clockQuery(...) to a query that"
                            + " returns microseconds since 1970 UTC as store_time",
                    e);
        }
        return List.of();
    }
}
