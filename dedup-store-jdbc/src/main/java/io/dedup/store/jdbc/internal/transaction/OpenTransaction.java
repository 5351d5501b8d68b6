package io.dedup.store.jdbc.internal.transaction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A transaction that a manager has opened on this thread.
 *
 * @param connection null where it isn't one of the store's database
 */
record OpenTransaction(
        PlatformTransactionManager manager,
        TransactionStatus status,
        @Nullable TransactionConnection connection) {
    private static final Logger LOG = LoggerFactory.getLogger(OpenTransaction.class);

    /** Never throws. What the manager can't roll back is cut off by the {@link TransactionWatch}. */
    void rollBack() {
        try {
            if (!status.isCompleted()) {
                manager.rollback(status);
            }
        } catch (RuntimeException e) {
            LOG.warn("Cannot roll back a transaction; it ends when its connection is closed: {}", e.toString());
            LOG.debug("It failed with", e);
        } finally {
            clear();
        }
    }

    /** What a manager that failed has left on the thread, the next message's transaction would take for its own. */
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
