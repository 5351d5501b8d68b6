package io.dedup.store.operator;

import io.dedup.store.DedupStore;

/**
 * A store that can delete all its records: an optional capability, required of the front store by
 * {@code Deduplicator.resetFront}.
 */
public interface ResettableStore {
    /**
     * Deletes every record, including those with live leases. For a front store whose database was restored to an
     * earlier state; otherwise, every message is handled again if redelivered.
     *
     * @return the number of deleted records
     * @throws io.dedup.DedupStoreException if records may be left: repeat the call before any consumer starts
     */
    long forgetAll();

    /**
     * Returns this capability of a store.
     *
     * @throws UnsupportedOperationException if the store does not have it
     */
    static ResettableStore of(DedupStore store) {
        if (store instanceof ResettableStore capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + store.name() + " does not support forgetting all records");
    }
}
