package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.CommitResult;
import io.dedup.store.jdbc.internal.failure.Causes;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Ends a transaction, and tells how it ended. Spring's exceptions don't: one may come after the commit, from somebody's
 * callback; and JPA rolls back, or thinks so, whatever its commit failed with, be it a lost answer.
 */
public final class TransactionEnd {
    private static final Logger LOG = LoggerFactory.getLogger(TransactionEnd.class);

    private TransactionEnd() {}

    /** @param check whether the commit may be sent; throws where it may not */
    static CommitResult commit(
            PlatformTransactionManager manager,
            TransactionStatus status,
            TransactionConnection connection,
            TransactionWatch watch,
            SqlErrors errors,
            Runnable check) {
        if (status.isRollbackOnly()) {
            rollBack(manager, status, connection);
            return new CommitResult.RolledBack(marked());
        }
        RuntimeException failure = null;
        try {
            watch.registerLast(() -> {
                if (status.isRollbackOnly()) { // by a callback: Spring has looked before those
                    throw marked();
                }
                check.run();
            });
            manager.commit(status);
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            rollBack(manager, status, connection); // where it is still open
        }
        return result(watch, errors, failure);
    }

    private static UnexpectedRollbackException marked() {
        return new UnexpectedRollbackException("the transaction was marked as rollback-only by what ran in it");
    }

    private static CommitResult result(TransactionWatch watch, SqlErrors errors, @Nullable RuntimeException failure) {
        RuntimeException refusal = watch.refusal();
        if (refusal != null) {
            return watch.isCutOff() ? new CommitResult.RolledBack(refusal) : new CommitResult.Unknown(refusal);
        }
        if (watch.isCommitted()) {
            if (failure != null) {
                LOG.warn("The transaction is committed; a callback after that failed", failure);
            }
            return new CommitResult.Committed();
        }
        RuntimeException cause =
                failure == null ? new UnexpectedRollbackException("the transaction was rolled back") : failure;
        return isRolledBack(watch, errors, cause)
                ? new CommitResult.RolledBack(cause)
                : new CommitResult.Unknown(cause);
    }

    private static boolean isRolledBack(TransactionWatch watch, SqlErrors errors, RuntimeException cause) {
        if (!watch.isPrepared()) { // the commit was never sent
            return watch.isRolledBack();
        }
        // From here on only what the database says counts, or that it had no say, as with an optimistic lock of JPA's.
        return errors.provesRollback(cause) || (watch.isRolledBack() && !Causes.anySql(cause, any -> true));
    }

    /** Never throws. What the manager can't roll back is cut off by the {@link TransactionWatch}. */
    public static void rollBack(
            PlatformTransactionManager manager, TransactionStatus status, @Nullable TransactionConnection connection) {
        try {
            if (!status.isCompleted()) {
                manager.rollback(status);
            }
        } catch (RuntimeException e) {
            LOG.warn("A transaction couldn't be rolled back, and ends with its connection: {}", e.toString());
            LOG.debug("It failed with", e);
        } finally {
            clear(connection);
        }
    }

    /** What a manager that failed has left on the thread, the next message's transaction would take for its own. */
    private static void clear(@Nullable TransactionConnection connection) {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            TransactionSynchronizationManager.clear();
        }
        if (connection != null && connection.isBound()) {
            connection.abort();
            TransactionSynchronizationManager.unbindResourceIfPossible(connection.key());
        }
    }
}
