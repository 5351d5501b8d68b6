package io.dedup.store.jdbc.internal.transaction;

import io.dedup.DedupStoreException;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.jdbc.internal.failure.SqlFailures;
import io.dedup.store.transaction.BrokenTransactionException;
import io.dedup.store.transaction.TooManyRecordsException;
import java.sql.SQLException;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.TransactionStatus;

/** Runs statements in a transaction. After one has failed, the transaction can only be rolled back. */
final class TransactionCalls {
    private static final String BROKEN =
            ": an earlier statement in the transaction failed, but the handler continued. Let the handler rethrow that"
                    + " exception, or use a savepoint";

    private final TransactionConnection connection;
    private final TransactionStatus status;
    private final RecordTable table;
    private final WrittenRecords written;

    TransactionCalls(
            TransactionConnection connection, TransactionStatus status, RecordTable table, WrittenRecords written) {
        this.connection = connection;
        this.status = status;
        this.table = table;
        this.written = written;
    }

    /**
     * Runs a statement.
     *
     * @throws DedupStoreException for every failure; only a rollback may follow
     */
    <A> A run(String operation, TransactionConnection.Work<A> work) {
        boolean done = false;
        try {
            A answer = connection.with(work);
            done = true;
            return answer;
        } catch (SQLException e) {
            throw failed(operation, e);
        } catch (DataAccessException | TransactionException e) {
            throw new DedupStoreException(
                    operation + " on table " + table.name() + " failed: no usable connection in the transaction", e);
        } finally {
            if (!done) {
                refuseCommit();
            }
        }
    }

    /** Marks the transaction so that it can only be rolled back. */
    void refuseCommit() {
        status.setRollbackOnly();
    }

    private DedupStoreException failed(String operation, SQLException e) {
        SqlFailures failures = table.failures();
        DedupStoreException failed = failures.failed(operation, e);
        if (SqlErrors.isInFailedTransaction(e)) {
            return new BrokenTransactionException(failed.getMessage() + BROKEN, e);
        }
        if (written.areLate()) { // most likely that is why: PostgreSQL ends the session
            return new BrokenTransactionException(failed.getMessage() + ": " + written.late(), e);
        }
        return failures.errors().isTooMany(e)
                ? new TooManyRecordsException(
                        failed.getMessage()
                                + ": every record holds a lock until its transaction ends. Raise the server's"
                                + " max_locks_per_transaction, or claim fewer records at once",
                        e)
                : failed;
    }
}
