package io.dedup.store.jdbc.internal.transaction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that a manager opened on this thread.
 *
 * @param connection null if it does not belong to the store's database
 */
record OpenTransaction(
        PlatformTransactionManager manager,
        TransactionStatus status,
        @Nullable TransactionConnection connection) {
    private static final Logger log = LoggerFactory.getLogger(OpenTransaction.class);

    /** Rolls back; never throws. If the manager cannot roll back, {@link TransactionWatch} closes the session. */
    void rollBack() {
        try {
            if (!status.isCompleted()) {
                manager.rollback(status);
            }
        } catch (RuntimeException e) {
            log.warn("Cannot roll back a transaction; it ends when its connection is closed: {}", e.toString());
            log.debug("It failed with", e);
        } finally {
            clear();
        }
    }

    /** Removes what a failed manager has left on the thread: the next message's transaction would use it. */
    private void clear() {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            TransactionSynchronizationManager.clear();
        }
        if (connection != null && connection.isBound()) {
            connection.abort();
            TransactionSynchronizationManager.unbindResourceIfPossible(connection.key());
        }
    }
}
