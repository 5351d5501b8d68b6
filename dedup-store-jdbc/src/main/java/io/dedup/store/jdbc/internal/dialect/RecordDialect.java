package io.dedup.store.jdbc.internal.dialect;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records in the SQL of one database, in the handler's transaction.
 *
 * <p>Lists are sorted, contain each key once, are not empty, and fit into one statement. Results are in the order of
 * the requests; null means that another session was faster and the request must be repeated. A failure may have rolled
 * the transaction back, so only a rollback may follow. Implementations therefore handle duplicate keys and locks
 * themselves, but only if the database rolls back no more than the statement.
 */
public interface RecordDialect {
    /**
     * Writes the records that nothing blocks.
     *
     * @param limit the maximum duration of the transaction, if the statement must enforce it; else null
     */
    List<@Nullable RecordResult> claim(Connection connection, List<RecordRequest> requests, @Nullable Duration limit)
            throws SQLException;

    /** Whether {@link #claim} can limit the duration of the transaction. */
    default boolean limitsTransactions() {
        return false;
    }

    /** Completes claims; ignores {@code repeated}. */
    List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests) throws SQLException;

    /** Removes the rows of some keys, all of them written in this transaction. */
    void remove(Connection connection, Collection<DedupKey> keys) throws SQLException;

    /** Stores a result; returns whether its row exists. */
    boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException;

    /**
     * Called at the beginning of a transaction that may write no record. The marker shows at the end whether the
     * database rolled the transaction back. Null if {@link #checkWhole} does not need it.
     */
    default @Nullable TransactionMarker mark(Connection connection) throws SQLException {
        return null;
    }

    /**
     * Called before the commit: checks that the commit would commit everything. It would not if a failed statement made
     * the database roll the transaction back and the handler continued regardless.
     *
     * @param written a record that this transaction has written; null if there is none
     * @throws SQLException also if the check fails
     */
    void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException;

    /**
     * {@link #checkWhole} for a caller who commits next and lets this commit in the same round trip.
     *
     * @param sending called before a statement is sent that commits: if that fails, it may have arrived
     * @return whether the transaction is committed; else it is checked
     */
    default boolean commitWhole(Connection connection, WrittenRecord written, Runnable sending) throws SQLException {
        checkWhole(connection, written);
        return false;
    }

    /** A record that a transaction has written; no other row of its key, before or after, has this token. */
    record WrittenRecord(DedupKey key, long token) {}

    /**
     * Checks the server's settings.
     *
     * @return how many records may be claimed at the same time
     * @throws IllegalStateException if a setting makes transactions unsafe
     */
    long checkServer(Connection connection) throws SQLException;
}
