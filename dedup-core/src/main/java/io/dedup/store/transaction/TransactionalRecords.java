package io.dedup.store.transaction;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.DedupStore;
import java.time.Duration;

/**
 * Opens business transactions and keeps dedup records in them, so that a record commits or rolls back with the effect.
 *
 * <p>Thread-safe. Only these block a message: a DONE record inside its window, and a live lease of a claim outside a
 * transaction. An uncommitted record blocks others only while its transaction is open.
 *
 * <p>An implementation that can detect at start whether a handler would leave the transaction also implements
 * {@link HandlerInspector}.
 */
public interface TransactionalRecords {
    /** The name for logs and metrics: {@code jdbc} … */
    String name();

    /** Whether the claims of this store are in the same table, so that a transaction can complete them. */
    boolean holdsClaimsOf(DedupStore store);

    /**
     * Deletes a committed record in a separate transaction, so that the next delivery of the message is handled again.
     *
     * @param liveLease what to do if a claim outside a transaction has a live lease
     */
    OperatorResult forget(DedupKey key, LiveLease liveLease);

    /**
     * The number of records that the transactions of all processes together may claim at the same time;
     * {@link Long#MAX_VALUE} for no limit.
     */
    long concurrentRecords();

    /**
     * The maximum size in bytes of a result that can be kept with a record; larger results are not sent. By default,
     * whatever a policy permits.
     */
    default int maxResultBytes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Checks that a transaction can be opened and its database accepts writes. Leaves no record. The default
     * implementation begins a transaction and rolls it back, which proves this only if {@link #begin} writes.
     *
     * @param timeout the maximum duration; positive
     * @throws io.dedup.DedupStoreException if the database does not answer or accepts no writes
     */
    default void ping(Duration timeout) {
        begin(timeout).rollback();
    }

    /**
     * Opens a transaction on the calling thread, which the handler's work there joins.
     *
     * @param timeout the maximum duration of the transaction; positive
     * @throws IllegalStateException if the thread is already in a transaction, or the transaction does not belong to
     *     the database of the records; no transaction is open then
     * @throws io.dedup.DedupStoreException if it cannot be opened; no transaction is open then
     */
    RecordTransaction begin(Duration timeout);

    /**
     * Like {@link #begin}, for a caller that calls {@link RecordTransaction#claimAll} first and commits only what
     * belongs to the records written there. An implementation whose records already limit the transaction, and reveal
     * whether the database rolled it back, can then omit its other safeguards. The default implementation calls
     * {@code begin}.
     */
    default RecordTransaction beginWithRecords(Duration timeout) {
        return begin(timeout);
    }
}
