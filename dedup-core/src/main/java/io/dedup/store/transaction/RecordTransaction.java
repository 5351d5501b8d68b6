package io.dedup.store.transaction;

import io.dedup.DedupKey;
import io.dedup.store.CompleteRequest;
import io.dedup.store.WriteResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An open business transaction. Belongs to the thread that opened it; {@link #commit} or {@link #rollback} ends it, and
 * exactly one of them is called.
 *
 * <p>A {@link io.dedup.DedupStoreException} of any other method leaves it to be rolled back: nothing else may follow. (Only a
 * {@link io.dedup.store.ResultTooLargeException} does no harm.) A {@link BrokenTransactionException} blames what has run in it.
 */
public interface RecordTransaction {
    /**
     * Writes the records of messages that are about to be handled, as DONE: visible to others when this commits. One
     * round trip; a single message that isn't new, after one that was, may take two. Never waits for a transaction that
     * handles one of them, as far as the database can do without.
     *
     * @param requests each key once
     * @return an answer for each, in order
     * @throws TooManyRecordsException when fewer may do
     */
    List<RecordResult> claimAll(List<RecordRequest> requests);

    /**
     * Takes back records that {@link #claimAll} has written in this transaction: their messages weren't handled.
     *
     * @param keys each once; others than those change nothing
     */
    void removeAll(List<DedupKey> keys);

    /**
     * Keeps a result for duplicates, with a record that {@link #claimAll} has written in this transaction.
     *
     * @throws io.dedup.store.ResultTooLargeException when the database doesn't take a result of this size; nothing was sent, and the
     *     transaction can go on
     */
    void keepResult(DedupKey key, byte[] result);

    /**
     * Completes claims that were made outside, as {@link io.dedup.store.DedupStore#completeAll} does, but so that it counts when this
     * commits. {@code repeated} isn't looked at: nobody but the owner completes.
     *
     * @param requests each key once
     * @return an answer for each, in order; {@code StoreError} is none of them
     * @throws io.dedup.store.ResultTooLargeException when the database doesn't take a result of this size; nothing was sent, and the
     *     transaction can go on
     */
    List<WriteResult> completeAll(List<CompleteRequest> requests);

    /** Commits. Never throws, but for an {@link Error}. */
    CommitResult commit();

    /** Rolls back. Never throws, but for an {@link Error}: what can't be rolled back ends with its connection. */
    void rollback();

    /**
     * Whether the exception tells of a transaction that the database undid because of another one, such as a deadlock or
     * a serialization failure: trying again makes sense, whatever else the exception is.
     */
    boolean isUndoneByOthers(@Nullable Throwable failure);
}
