package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.policy.Window;
import io.dedup.privacy.Erasure;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.row.LeaseTransitions;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.operator.StuckQuery;
import io.dedup.store.operator.StuckRecords;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Operators' commands on one record. They are rare, so they use compare-and-set and are the same on every database.
 * Thread-safe.
 */
public final class OperatorCommands {
    private static final DedupKey NO_RECORD = DedupScope.of("dedup", "ping").key("-");

    private final StoreCalls calls;
    private final StoreCalls longReads;
    private final Rows rows;
    private final StuckRows stuckRows;
    private final ErasedRows erasedRows;
    private final SqlFailures failures;

    /** @param longReads for a statement that may read the whole table */
    public OperatorCommands(
            StoreCalls calls,
            StoreCalls longReads,
            Rows rows,
            StuckRows stuckRows,
            ErasedRows erasedRows,
            SqlFailures failures) {
        this.calls = calls;
        this.longReads = longReads;
        this.rows = rows;
        this.stuckRows = stuckRows;
        this.erasedRows = erasedRows;
        this.failures = failures;
    }

    public Optional<StoredRecord> find(DedupKey key) {
        return calls.run("find", connection -> {
            Rows.Snapshot snapshot = rows.read(connection, List.of(key));
            Row row = snapshot.row(key);
            return row == null || row.isExpired(snapshot.now())
                    ? Optional.empty()
                    : Optional.of(row.toStoredRecord(snapshot.now()));
        });
    }

    public StuckRecords findStuck(StuckQuery query) {
        stuckRows.requirePlainKeys();
        long now = calls.run(
                "findStuck",
                connection -> rows.read(connection, List.of(NO_RECORD)).now());
        return longReads.run("findStuck", connection -> stuckRows.find(connection, query, now));
    }

    public OperatorResult forget(DedupKey key, LiveLease liveLease) {
        return decide("forget", key, (connection, row, now) -> {
            if (row == null || row.isExpired(now)) {
                return OperatorResult.ABSENT;
            }
            if (row.isLive(now) && liveLease == LiveLease.RESPECT) {
                return OperatorResult.LEASE_LIVE;
            }
            return rows.delete(connection, key, row) ? OperatorResult.APPLIED : null;
        });
    }

    public OperatorResult forceDone(DedupKey key, Window window, LiveLease liveLease) {
        return decide("forceDone", key, (connection, row, now) -> {
            if (row != null && row.isLive(now) && liveLease == LiveLease.RESPECT) {
                return OperatorResult.LEASE_LIVE;
            }
            Row done = LeaseTransitions.forcedDone(row, window, now);
            return rows.write(connection, new Rows.Change(key, row, done)) ? OperatorResult.APPLIED : null;
        });
    }

    public Erasure erase(String storedId, LiveLease liveLease) {
        erasedRows.requirePlainKeys();
        return calls.run("erase", connection -> {
            AtomicLong erased = new AtomicLong();
            return RaceRetry.untilAnswered("erase", failures, () -> {
                long now = rows.read(connection, List.of(NO_RECORD)).now();
                ErasedRows.Pass pass = erasedRows.run(connection, storedId, liveLease, now);
                long all = erased.addAndGet(pass.erased());
                return pass.again() ? null : new Erasure(all, pass.live());
            });
        });
    }

    /** Decides about a row; null if another session changed it first. */
    private interface Decision {
        @Nullable
        OperatorResult on(Connection connection, @Nullable Row row, long now) throws SQLException;
    }

    private OperatorResult decide(String operation, DedupKey key, Decision decision) {
        return calls.run(
                operation,
                connection -> RaceRetry.untilAnswered(operation, failures, () -> {
                    Rows.Snapshot snapshot = rows.read(connection, List.of(key));
                    return decision.on(connection, snapshot.row(key), snapshot.now());
                }));
    }

    /** Stops running commands. */
    public void close() {
        longReads.close();
        calls.close();
    }
}
