package io.dedup.store.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
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
    private @Nullable Runnable last;
    private boolean prepared;
    private boolean aborted;
    private int status = OPEN;

    private TransactionWatch(TransactionConnection connection, boolean suspension) {
        this.connection = connection;
        this.suspension = suspension;
    }

    static TransactionWatch register(TransactionConnection connection, boolean suspension) {
        TransactionWatch watch = new TransactionWatch(connection, suspension);
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
            @Override
            public void beforeCommit(boolean readOnly) {
                prepare(check);
            }
        });
    }

    private void prepare(Runnable check) {
        check.run();
        prepared = true;
    }

    @Override
    public void beforeCommit(boolean readOnly) {
        if (last != null) {
            prepare(last);
        }
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
        if (!suspension) {
            throw new IllegalStateException(
                    "the handler's transaction must not be suspended (REQUIRES_NEW, NOT_SUPPORTED, another transaction"
                            + " manager): what is done meanwhile is neither undone nor done once with the message's record;"
                            + " let it join, or do it elsewhere, or see JdbcTransactions.allowSuspension");
        }
    }

    @Override
    public void afterCompletion(int ended) {
        status = ended;
        if (ended == STATUS_UNKNOWN) {
            aborted = connection.abort();
        }
    }
}
