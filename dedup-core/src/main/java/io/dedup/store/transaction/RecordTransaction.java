package io.dedup.store.transaction;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open business transaction, bound to the thread that opened it. Exactly one of {@link #commit} and
 * {@link #rollback} must end it.
 *
 * <p>After a {@link io.dedup.DedupStoreException} of any other method, only a rollback may follow, except after a
 * {@link io.dedup.store.ResultTooLargeException}. A {@link BrokenTransactionException} means that the handler caused
 * the failure.
 */
public interface RecordTransaction {
    /**
     * Writes the records of messages that are about to be handled, as DONE; others see them after the commit. Takes one
     * round trip; a single message that is not new may take two if the previous one was new. Does not wait for other
     * transactions that are handling these messages, unless the database requires it.
     *
     * @param requests each key once
     * @return one result for each request, in order
     * @throws TooManyRecordsException if fewer records may succeed
     */
    List<RecordResult> claimAll(List<RecordRequest> requests);

    /**
     * Removes records that {@link #claimAll} wrote in this transaction, because their messages were not handled.
     *
     * @param keys each once; keys of other records have no effect
     */
    void removeAll(List<DedupKey> keys);

    /**
     * Stores a result for duplicates with a record that {@link #claimAll} wrote in this transaction.
     *
     * @throws io.dedup.store.ResultTooLargeException if the result exceeds the limit of the database; nothing was sent,
     *     and the transaction can continue
     */
    void keepResult(DedupKey key, byte[] result);

    /**
     * Completes claims that were made outside the transaction, like {@link io.dedup.store.DedupStore#completeAll},
     * effective with the commit. Ignores {@code repeated}: only the owner can complete.
     *
     * @param requests each key once
     * @return one result for each request, in order; never {@code StoreError}
     * @throws io.dedup.store.ResultTooLargeException if the result exceeds the limit of the database; nothing was sent,
     *     and the transaction can continue
     */
    List<WriteResult> completeAll(List<CompleteRequest> requests);

    /** Commits. Throws nothing but an {@link Error}. */
    CommitResult commit();

    /**
     * Rolls back. Throws nothing but an {@link Error}. If the rollback fails, the transaction ends with its connection.
     */
    void rollback();

    /**
     * Whether an exception shows that the database rolled the transaction back because of another one, as with a
     * deadlock or a serialization failure: the transaction can be retried.
     */
    boolean isUndoneByOthers(@Nullable Throwable failure);
}
