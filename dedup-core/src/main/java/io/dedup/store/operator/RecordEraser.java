package io.dedup.store.operator;

import io.dedup.LiveLease;
import io.dedup.privacy.Erasure;
import io.dedup.store.DedupStore;
import io.dedup.store.transaction.TransactionalRecords;

/**
 * A store that can delete everything it has of a message ID, in all scopes: an optional capability, for privacy
 * requests. A {@link TransactionalRecords} can have it, too.
 */
public interface RecordEraser {
    /**
     * Deletes the records of a message ID in all scopes, with their results and fingerprints. Their windows are
     * forgotten: a redelivery is handled again, with attempt 1 and a higher fencing token. Also deletes records that
     * have expired and are still stored.
     *
     * <p>May read every record of the store, which takes time, but does not block other calls.
     *
     * @param storedId as stores keep it, {@code DedupKey.messageId()}: a hash if the ID is long
     * @param liveLease what to do with a record whose lease is live
     * @throws io.dedup.DedupStoreException if records may be left: repeat the call
     * @throws UnsupportedOperationException if the store, as it is configured, cannot find an ID in all scopes
     */
    Erasure erase(String storedId, LiveLease liveLease);

    /**
     * Checks that {@link #erase} is possible, before another store has erased anything. Makes no round trip.
     *
     * @throws UnsupportedOperationException if the store, as it is configured, cannot find an ID in all scopes
     */
    default void checkErasing() {}

    /**
     * Returns this capability of a store.
     *
     * @throws UnsupportedOperationException if the store does not have it
     */
    static RecordEraser of(DedupStore store) {
        return of(store, store.name());
    }

    /**
     * Returns this capability of the records in transactions.
     *
     * @throws UnsupportedOperationException if they do not have it
     */
    static RecordEraser of(TransactionalRecords records) {
        return of(records, records.name());
    }

    private static RecordEraser of(Object store, String name) {
        if (store instanceof RecordEraser capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + name
                + " does not support erasing a message ID in all scopes:" + " call forget for each scope");
    }
}
