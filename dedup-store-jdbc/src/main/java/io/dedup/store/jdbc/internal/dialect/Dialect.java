package io.dedup.store.jdbc.internal.dialect;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.internal.row.Rows;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The store's operations in one database's SQL, on an autocommit connection.
 *
 * <p>Lists come sorted, hold each key once, and are never empty nor too large for a statement. Answers come in the
 * order of the requests; null where somebody else was faster and asking again will tell. Everything may be asked again
 * after a deadlock, a serialization failure or a duplicate key, which undo what the statement did.
 */
public interface Dialect {
    List<@Nullable ClaimResult> claim(Connection connection, List<ClaimRequest> requests) throws SQLException;

    List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests) throws SQLException;

    List<@Nullable WriteResult> release(Connection connection, List<ReleaseRequest> requests) throws SQLException;

    List<@Nullable WriteResult> renew(Connection connection, List<RenewRequest> requests) throws SQLException;

    /** Renews what nobody has locked; the rest answers {@code StoreError}. */
    List<@Nullable WriteResult> renewUnlocked(Connection connection, List<RenewRequest> requests) throws SQLException;

    /** Removes expired records that nobody has locked, after looking at no more than {@code limit}. */
    PurgeRun purge(Connection connection, int limit) throws SQLException;

    /** Whether a statement's time-out is the statement's own, and not kept by the driver for the whole connection. */
    default boolean timesStatements() {
        return true;
    }

    /** How many bytes a statement may have that is sent to the server, with its values; {@link Long#MAX_VALUE} for any number. */
    default long maxStatementBytes(Connection connection) throws SQLException {
        return Long.MAX_VALUE;
    }

    /** Writes to the table and leaves nothing there. */
    WriteProbe probe();

    /** The same table's records in transactions of handlers. */
    RecordDialect records();

    /** For what operators do to one record, on every database alike. */
    Rows rows();

    /**
     * Looks at the server.
     *
     * @return what to warn of
     * @throws IllegalStateException when it isn't one that this dialect works with
     */
    List<String> checkServer(Connection connection) throws SQLException;

    /**
     * One batch of a purge.
     *
     * @param looked at how many records it has looked: a batch may be smaller than was asked for
     * @param more whether another batch may find something to remove
     */
    record PurgeRun(int removed, int looked, boolean more) {}
}
