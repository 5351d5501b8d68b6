package io.dedup.store.jdbc.internal.operation;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.Window;
import io.dedup.store.OperatorResult;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.internal.failure.FailureKind;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.jdbc.internal.row.Row;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.jdbc.internal.row.Transitions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What operators do to one record: seldom, by compare and set, and so the same on every database. */
public final class Operators {
    private static final DedupKey NO_RECORD = DedupScope.of("dedup", "ping").key("-");

    private final Rows rows;
    private final SqlFailures failures;

    public Operators(Rows rows, SqlFailures failures) {
        this.rows = rows;
        this.failures = failures;
    }

    public Optional<StoredRecord> find(Connection connection, DedupKey key) throws SQLException {
        Rows.Snapshot snapshot = rows.read(connection, List.of(key));
        Row row = snapshot.row(key);
        return row == null || row.isExpired(snapshot.now())
                ? Optional.empty()
                : Optional.of(row.toStoredRecord(snapshot.now()));
    }

    public OperatorResult forget(Connection connection, DedupKey key, boolean evenIfLeaseLive) throws SQLException {
        return decide("forget", connection, key, (row, now) -> {
            if (row == null || row.isExpired(now)) {
                return OperatorResult.ABSENT;
            }
            if (row.isLive(now) && !evenIfLeaseLive) {
                return OperatorResult.LEASE_LIVE;
            }
            return rows.delete(connection, key, row) ? OperatorResult.APPLIED : null;
        });
    }

    public OperatorResult forceDone(Connection connection, DedupKey key, Window window, boolean evenIfLeaseLive)
            throws SQLException {
        return decide("forceDone", connection, key, (row, now) -> {
            if (row != null && row.isLive(now) && !evenIfLeaseLive) {
                return OperatorResult.LEASE_LIVE;
            }
            Row done = Transitions.forcedDone(row, window, now);
            return rows.write(connection, new Rows.Change(key, row, done)) ? OperatorResult.APPLIED : null;
        });
    }

    /** The database's time in microseconds. */
    public long now(Connection connection) throws SQLException {
        return rows.read(connection, List.of(NO_RECORD)).now();
    }

    /** Decides on the row as it was read; null when somebody else changed it first. */
    private interface Decision {
        @Nullable
        OperatorResult on(@Nullable Row row, long now) throws SQLException;
    }

    private OperatorResult decide(String operation, Connection connection, DedupKey key, Decision decision)
            throws SQLException {
        SQLException last = null;
        for (int round = 0; round < BatchRunner.MAX_ROUNDS; round++) {
            try {
                Rows.Snapshot snapshot = rows.read(connection, List.of(key));
                OperatorResult result = decision.on(snapshot.row(key), snapshot.now());
                if (result != null) {
                    return result;
                }
            } catch (SQLException e) {
                if (failures.errors().kind(e) != FailureKind.RACE) {
                    throw e;
                }
                last = e;
            }
        }
        throw failures.raced(operation, BatchRunner.MAX_ROUNDS, last);
    }
}
