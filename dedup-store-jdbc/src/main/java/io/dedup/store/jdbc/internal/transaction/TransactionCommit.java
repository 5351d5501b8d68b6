package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.failure.SqlCauses;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.transaction.CommitResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;

/**
 * Commits a transaction and determines how it ended. Spring's exceptions do not show this: one may come from a callback
 * after the commit; and JPA rolls back, or assumes so, whatever its commit failed with, even a lost answer.
 */
final class TransactionCommit {
    private static final Logger log = LoggerFactory.getLogger(TransactionCommit.class);

    private final OpenTransaction transaction;
    private final TransactionWatch watch;
    private final SqlErrors errors;

    TransactionCommit(OpenTransaction transaction, TransactionWatch watch, SqlErrors errors) {
        this.transaction = transaction;
        this.watch = watch;
        this.errors = errors;
    }

    /**
     * Commits.
     *
     * @param check throws if the commit must not be sent
     */
    CommitResult commit(Runnable check) {
        TransactionStatus status = transaction.status();
        if (status.isRollbackOnly()) {
            transaction.rollBack();
            return new CommitResult.RolledBack(marked());
        }
        RuntimeException failure = null;
        try {
            watch.registerLast(() -> {
                if (status.isRollbackOnly()) { // set by a callback: Spring checks it before the callbacks
                    throw marked();
                }
                check.run();
            });
            transaction.manager().commit(status);
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            transaction.rollBack(); // where it is still open
        }
        return result(failure);
    }

    private static UnexpectedRollbackException marked() {
        return new UnexpectedRollbackException("the handler or a callback marked the transaction as rollback-only");
    }

    private CommitResult result(@Nullable RuntimeException failure) {
        RuntimeException refusal = watch.refusal();
        if (refusal != null) {
            return watch.isCutOff() ? new CommitResult.RolledBack(refusal) : new CommitResult.Unknown(refusal);
        }
        if (watch.isCommitted()) {
            if (failure != null) {
                log.warn("The transaction is committed, but a callback after the commit failed", failure);
            }
            return new CommitResult.Committed();
        }
        RuntimeException cause =
                failure == null ? new UnexpectedRollbackException("the transaction was rolled back") : failure;
        return isRolledBack(cause) ? new CommitResult.RolledBack(cause) : new CommitResult.Unknown(cause);
    }

    private boolean isRolledBack(RuntimeException cause) {
        if (!watch.isPrepared()) { // the commit was never sent
            return watch.isRolledBack();
        }
        // From here on, only the database's answer counts, or that it was not involved, as with JPA's optimistic locks.
        return errors.provesRollback(cause) || (watch.isRolledBack() && !SqlCauses.anySql(cause, any -> true));
    }
}
