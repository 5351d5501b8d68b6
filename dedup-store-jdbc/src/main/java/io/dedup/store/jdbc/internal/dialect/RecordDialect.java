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
 * Records in one database's SQL, in a transaction of somebody else's.
 *
 * <p>Lists come sorted, hold each key once, and are never empty nor too large for a statement. Answers come in the order of
 * the requests; null where somebody else was faster and asking again will tell. A failure may have undone the transaction:
 * nothing may follow but its rollback. So a duplicate key or a lock is dealt with in here, and only where the database
 * undoes no more than the statement.
 */
public interface RecordDialect {
    /** @param limit how long the transaction may last, where the statement has to see to it; else null */
    List<@Nullable RecordResult> claim(Connection connection, List<RecordRequest> requests, @Nullable Duration limit)
            throws SQLException;

    /** Whether {@link #claim} can see to it that the transaction ends in time. */
    default boolean limitsTransactions() {
        return false;
    }

    /** {@code repeated} isn't looked at. */
    List<@Nullable WriteResult> complete(Connection connection, List<CompleteRequest> requests) throws SQLException;

    /** Removes the rows of some keys, all of them written in this transaction. */
    void remove(Connection connection, Collection<DedupKey> keys) throws SQLException;

    /** Whether there was a row to keep the result in. */
    boolean keepResult(Connection connection, DedupKey key, byte[] result) throws SQLException;

    /**
     * To be called at the beginning of a transaction that may write no record: what tells at its end whether the database has
     * undone it. Null where {@link #checkWhole} needs nothing.
     */
    default @Nullable TransactionMarker mark(Connection connection) throws SQLException {
        return null;
    }

    /**
     * To be called before the commit: whether that would commit everything. It wouldn't where something in the transaction
     * has failed, which made the database undo it, and somebody went on as if nothing had happened.
     *
     * @param written a record that this transaction has written, if it has any
     * @throws SQLException also when it wouldn't
     */
    void checkWhole(Connection connection, @Nullable WrittenRecord written) throws SQLException;

    /** A record as a transaction has written it: no other row of its key, before or after, has the token. */
    record WrittenRecord(DedupKey key, long token) {}

    /** Whether nothing but READ COMMITTED will do. */
    boolean needsReadCommitted();

    /**
     * Looks at what only the server's settings tell.
     *
     * @return how many records may be claimed at the same time
     * @throws IllegalStateException when a setting makes transactions unsafe
     */
    long checkServer(Connection connection) throws SQLException;
}
