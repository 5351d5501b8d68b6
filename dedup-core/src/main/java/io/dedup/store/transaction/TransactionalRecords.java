package io.dedup.store.transaction;

import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.store.DedupStore;
import java.time.Duration;

/**
 * Opens business transactions and keeps dedup records in them, so that a record commits or rolls back with the effect.
 *
 * <p>Thread-safe. Only DONE inside its window, and a live lease of a claim outside, block a record: a record that isn't
 * committed blocks nobody but those who ask while its transaction is open.
 *
 * <p>An implementation that can tell beforehand whether a handler would leave the transaction implements
 * {@link HandlerInspector}, too.
 */
public interface TransactionalRecords {
    /** For logs and metrics: {@code jdbc} … */
    String name();

    /** Whether the claims of this store are records of the same table, so that a transaction can complete them. */
    boolean holdsClaimsOf(DedupStore store);

    /**
     * Removes a committed record, in a transaction of its own: the next copy of the message runs again.
     *
     * @param liveLease what to do while a claim outside has a live lease
     */
    OperatorResult forget(DedupKey key, LiveLease liveLease);

    /**
     * How many records may be claimed at the same time in transactions of all processes together; {@link Long#MAX_VALUE}
     * where there is no such limit.
     */
    long concurrentRecords();

    /**
     * The largest result that can be kept with a record, in bytes; a larger one isn't sent. By default any that a policy
     * permits.
     */
    default int maxResultBytes() {
        return Integer.MAX_VALUE;
    }

    /**
     * Returns when a transaction can be opened and its database takes writes; it leaves nothing. By default a transaction is
     * begun and rolled back, which proves that only where {@link #begin} writes.
     *
     * @param timeout how long it may take; positive
     * @throws io.dedup.DedupStoreException when the database doesn't answer, or takes no writes
     */
    default void ping(Duration timeout) {
        begin(timeout).rollback();
    }

    /**
     * Opens a transaction, bound to the calling thread: what a handler does there joins it.
     *
     * @param timeout how long it is meant to last at most; positive
     * @throws IllegalStateException when the thread has a transaction already, or the transaction isn't one of the
     *     records' database; nothing is open then
     * @throws io.dedup.DedupStoreException when it can't be opened; nothing is open then
     */
    RecordTransaction begin(Duration timeout);

    /**
     * Does what {@link #begin} does, for a caller whose first call is {@link RecordTransaction#claimAll}, and which commits
     * nothing but what belongs to the records that it wrote: where they can bound the transaction, and tell at its end that
     * the database has undone it in between, nothing else needs to. By default the same as {@code begin}.
     */
    default RecordTransaction beginWithRecords(Duration timeout) {
        return begin(timeout);
    }
}
