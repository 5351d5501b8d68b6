package io.dedup.store.jdbc.internal.transaction;

import java.sql.Connection;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;

/**
 * Opens transactions, after the transaction manager, the isolation level and the server have been checked.
 *
 * @param concurrentRecords how many records may be claimed at the same time
 */
public record CheckedTransactions(TransactionOpener opener, long concurrentRecords) {
    /** The properties of a transaction and its server. */
    private record Found(int isolation, long concurrentRecords) {}

    /**
     * Opens a transaction, and a second one if the first does not have the required isolation level.
     *
     * @throws IllegalStateException if the transaction manager or the server cannot be used
     * @throws io.dedup.DedupStoreException if the database cannot be reached
     */
    public static CheckedTransactions of(PlatformTransactionManager manager, RecordTable table) {
        TransactionOpener asTheyCome = TransactionOpener.of(manager, table);
        Found found = look(asTheyCome, table);
        // At a higher level a transaction doesn't see that the lease of its own claim was renewed meanwhile, and is
        // rolled back each time.
        if (found.isolation() == Connection.TRANSACTION_READ_COMMITTED) {
            // Requesting the level explicitly would cost round trips.
            return new CheckedTransactions(asTheyCome, found.concurrentRecords());
        }
        TransactionOpener set = asTheyCome.at(TransactionDefinition.ISOLATION_READ_COMMITTED);
        int isolation = look(set, table).isolation();
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            throw new IllegalStateException(
                    "Transactions must run at READ COMMITTED, but run at JDBC isolation level " + isolation
                            + ", although the store requested it from the transaction manager. Make READ COMMITTED the"
                            + " default of the pool's connections (HikariCP: transactionIsolation)");
        }
        return new CheckedTransactions(set, found.concurrentRecords());
    }

    private static Found look(TransactionOpener opener, RecordTable table) {
        JdbcTransaction transaction = opener.open(table.settings().queryTimeout());
        try {
            return transaction.look(connection -> {
                // First, because a lazy connection must be opened before it can be queried.
                long records = table.dialect().checkServer(connection);
                return new Found(connection.getTransactionIsolation(), records);
            });
        } finally {
            transaction.rollback();
        }
    }
}
