package io.dedup.store.jdbc.internal.transaction;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Sees how a transaction ends, and that nobody suspends it. Comes before all other synchronizations: when it refuses, none
 * of them was suspended, and the transaction goes on as it was.
 */
final class TransactionWatch implements TransactionSynchronization {
    private static final int OPEN = -1;

    private final TransactionConnection connection;
    private final boolean suspension;
    private final int silenceBefore;
    private @Nullable Runnable last;
    private @Nullable RuntimeException refusal;
    private boolean prepared;
    private boolean aborted;
    private boolean durable;
    private int status = OPEN;

    private TransactionWatch(TransactionConnection connection, boolean suspension, int silenceBefore) {
        this.connection = connection;
        this.suspension = suspension;
        this.silenceBefore = silenceBefore;
    }

    /** @param silenceBefore the connection's own limit, which is restored at the end */
    static TransactionWatch register(TransactionConnection connection, boolean suspension, int silenceBefore) {
        TransactionWatch watch = new TransactionWatch(connection, suspension, silenceBefore);
        TransactionSynchronizationManager.registerSynchronization(watch);
        return watch;
    }

    /**
     * To be called when nobody registers any more, so as to see that nobody has refused the commit.
     *
     * @param check whether it may be sent; throws where it may not
     */
    void registerLast(Runnable check) {
        if (TransactionSynchronizationManager.getSynchronizations().equals(List.of(this))) {
            // Spring would sort two, with each of its calls.
            last = check;
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            private boolean unrefused;

            @Override
            public void beforeCommit(boolean readOnly) {
                unrefused = true;
            }

            /** After those of the others, which may have done something in the database. */
            @Override
            public void beforeCompletion() {
                if (unrefused) {
                    prepareOrCutOff(check);
                }
            }
        });
    }

    private void prepare(Runnable check) {
        check.run();
        prepared = true;
    }

    /** Where an exception would only be logged, and the commit be sent. */
    private void prepareOrCutOff(Runnable check) {
        try {
            prepare(check);
        } catch (RuntimeException e) {
            refusal = e;
            aborted = connection.abort();
        } catch (Error e) {
            refusal = new UnexpectedRollbackException("the transaction could not be checked before its commit", e);
            aborted = connection.abort();
            throw e;
        }
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (last != null) {
            prepare(last);
        }
    }

    /** Why the commit was refused at the last moment; null if it wasn't. */
    @Nullable
    RuntimeException refusal() {
        return refusal;
    }

    /** Whether the session was ended, so that nothing can have been committed. */
    boolean isCutOff() {
        return aborted;
    }

    /** Whether the commit itself may have been sent. */
    boolean isPrepared() {
        return prepared;
    }

    boolean isCommitted() {
        return status == STATUS_COMMITTED;
    }

    boolean isRolledBack() {
        return status == STATUS_ROLLED_BACK || (aborted && !prepared);
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    @Override
    public void suspend() {
        if (!suspension && !durable) {
            throw new IllegalStateException(
                    "The handler must not suspend its transaction (REQUIRES_NEW, NOT_SUPPORTED, another transaction"
                            + " manager): work outside it does not roll back with the message's record and can happen"
                            + " twice. Let the work join the transaction, move it out of the handler, or see"
                            + " JdbcTransactions.allowSuspension");
        }
    }

    /** Before those of the others, which may have transactions of their own from now on. */
    @Override
    public void afterCommit() {
        durable = true;
    }

    @Override
    public void afterCompletion(int ended) {
        status = ended;
        // Some exceptions of callbacks Spring takes for the commit's own, and doesn't roll back: autocommit, put back
        // afterwards, would commit.
        if (ended == STATUS_UNKNOWN || (ended == STATUS_ROLLED_BACK && !connection.rollBack())) {
            aborted |= connection.abort();
        }
        if (!aborted) {
            connection.restoreSilence(silenceBefore);
        }
    }
}
