package io.dedup.store.jdbc.internal.transaction;

import io.dedup.store.jdbc.internal.failure.SqlCauses;
import io.dedup.store.jdbc.internal.failure.SqlErrors;
import io.dedup.store.transaction.CommitResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
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
     * @param check comes before the manager's commit
     */
    CommitResult commit(TransactionWatch.LastStep check) {
        TransactionStatus status = transaction.status();
        if (status.isRollbackOnly()) {
            transaction.rollBack();
            return new CommitResult.RolledBack(marked());
        }
        RuntimeException failure = null;
        try {
            watch.registerLast(sending -> {
                if (status.isRollbackOnly()) { // set by a callback: Spring checks it before the callbacks
                    throw marked();
                }
                return check.run(sending);
            });
            transaction.manager().commit(status);
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            transaction.rollBack(); // where it is still open
        }
        return result(failure);
    }

    /**
     * Whether nothing happens between the last callback before the commit and the manager's own: JPA's, for example, writes there
     * what is in its session, which must be part of the commit.
     */
    boolean canCommitEarly() {
        Class<?> manager = transaction.manager().getClass();
        return manager == DataSourceTransactionManager.class || manager == JdbcTransactionManager.class;
    }

    private static UnexpectedRollbackException marked() {
        return new UnexpectedRollbackException("the handler or a callback marked the transaction as rollback-only");
    }

    private CommitResult result(@Nullable RuntimeException failure) {
        RuntimeException refusal = watch.refusal();
        if (refusal != null) {
            boolean unsent = !watch.isPrepared() || errors.provesRollback(refusal);
            return unsent && watch.isCutOff()
                    ? new CommitResult.RolledBack(refusal)
                    : new CommitResult.Unknown(refusal);
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
        // After an exception of the application's own in JPA's flush, Spring doesn't tell, and the watch ended the
        // session.
        return errors.provesRollback(cause)
                || ((watch.isRolledBack() || watch.isCutOff()) && !SqlCauses.anySql(cause, any -> true));
    }
}
