package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.StepRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.row.Rows;
import io.dedup.store.operator.ImportRequest;
import io.dedup.store.operator.ImportResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store's operations in the SQL of one database, on an autocommit connection.
 *
 * <p>Lists are sorted, contain each key once, are not empty, and fit into one statement. Results are in the order of
 * the requests; null means that another session was faster and the request must be repeated. Every request may be
 * repeated after a deadlock, a serialization failure or a duplicate key, because these roll the statement back.
 */
public interface Dialect {
    List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException;

    List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests) throws SQLException;

    List<@Nullable WriteResult> release(Connection connection, List<ReleaseRequest> requests) throws SQLException;

    /** Renews rows that no other session has locked; the rest returns {@code StoreError}. */
    List<@Nullable WriteResult> renewUnlocked(Connection connection, List<RenewRequest> requests) throws SQLException;

    /** Appends to what unfinished records have kept of their handlers' steps, in the column of results. */
    List<@Nullable WriteResult> keepSteps(Connection connection, List<StepRequest> requests) throws SQLException;

    /** Records messages as done that were handled elsewhere; see {@code ImportingStore}. */
    List<@Nullable ImportResult> importDone(Connection connection, List<ImportRequest> requests) throws SQLException;

    /** Removes expired records that no other session has locked, after checking at most {@code limit}. */
    PurgeRun purge(Connection connection, int limit) throws SQLException;

    /** Whether a statement timeout applies only to that statement, instead of staying with the connection. */
    default boolean timesStatements() {
        return true;
    }

    /** The maximum size in bytes of a statement with its values; {@link Long#MAX_VALUE} for no limit. */
    default long maxStatementBytes(Connection connection) throws SQLException {
        return Long.MAX_VALUE;
    }

    /** Writes to the table and leaves nothing there. */
    WriteProbe probe();

    /** The same table's records in transactions of handlers. */
    RecordDialect records();

    /** The rows, for operators' commands on one record, which are the same on every database. */
    Rows rows();

    /**
     * Checks the server.
     *
     * @return warnings
     * @throws IllegalStateException if this dialect does not support the server
     */
    List<String> checkServer(Connection connection) throws SQLException;

    /**
     * The result of one batch of a purge.
     *
     * @param looked how many records it checked, which may be fewer than requested
     * @param more whether another batch may find something to remove
     */
    record PurgeRun(int removed, int looked, boolean more) {}
}
