package io.dedup.store.jdbc.internal.transaction;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Observes how a transaction ends, and prevents that it is suspended. Runs before all other synchronizations: if it
 * rejects a suspension, none of them was suspended, and the transaction continues unchanged.
 */
final class TransactionWatch implements TransactionSynchronization {
    private static final int OPEN = -1;

    private final TransactionConnection connection;
    private final UnwrittenEntities entities;
    private final boolean suspension;
    private final int silenceBefore;
    private @Nullable LastStep last;
    private @Nullable RuntimeException refusal;
    private boolean prepared;
    private boolean aborted;
    private boolean durable;
    private boolean committedAlready;
    private int status = OPEN;

    private TransactionWatch(
            TransactionConnection connection, UnwrittenEntities entities, boolean suspension, int silenceBefore) {
        this.connection = connection;
        this.entities = entities;
        this.suspension = suspension;
        this.silenceBefore = silenceBefore;
    }

    /**
     * Registers a watch.
     *
     * @param silenceBefore the connection's own network timeout, which is restored at the end
     */
    static TransactionWatch register(
            TransactionConnection connection, UnwrittenEntities entities, boolean suspension, int silenceBefore) {
        TransactionWatch watch = new TransactionWatch(connection, entities, suspension, silenceBefore);
        TransactionSynchronizationManager.registerSynchronization(watch);
        return watch;
    }

    /** What comes before the commit that the transaction manager sends. */
    interface LastStep {
        /**
         * Checks that the commit may be sent, and may send it itself.
         *
         * @param sending called before it sends what commits
         * @return whether the transaction is committed
         */
        boolean run(Runnable sending);
    }

    /**
     * Called when nothing else registers, in order to see that no other synchronization rejected the commit.
     *
     * @param check throws if the commit must not be sent, or may not have arrived
     */
    void registerLast(LastStep check) {
        if (TransactionSynchronizationManager.getSynchronizations().equals(List.of(this))) {
            // A second synchronization would make Spring sort both with every call. JPA isn't in use: it has one, too.
            last = check;
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            private boolean unrefused;

            @Override
            public void beforeCommit(boolean readOnly) {
                entities.refuse();
                unrefused = true;
            }

            /** Runs after those of the others, which may have used the database. */
            @Override
            public void beforeCompletion() {
                if (unrefused) {
                    prepareOrCutOff(check);
                }
            }
        });
    }

    private void prepare(LastStep check) {
        committedAlready = check.run(() -> prepared = true);
        prepared = true;
    }

    /** Checks where an exception would only be logged and the commit still be sent; closes the session instead. */
    private void prepareOrCutOff(LastStep check) {
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
        return status == STATUS_COMMITTED || committedAlready;
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
                            + " twice. Let the work join the transaction, move it out of the handler, or allow it with"
                            + " JdbcTransactions.allowSuspension (Spring Boot: dedup.jdbc.allow-suspension: true)");
        }
    }

    /** Runs before those of the others, which may open their own transactions from now on. */
    @Override
    public void afterCommit() {
        durable = true;
    }

    @Override
    public void afterCompletion(int ended) {
        status = ended;
        // Spring treats some exceptions of callbacks as failures of the commit and does not roll back: restoring
        // autocommit afterwards would commit.
        if (ended == STATUS_UNKNOWN || (ended == STATUS_ROLLED_BACK && !connection.rollBack())) {
            aborted |= connection.abort();
        }
        if (!aborted) {
            connection.restoreSilence(silenceBefore);
        }
    }
}
