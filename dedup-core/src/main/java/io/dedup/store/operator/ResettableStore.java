package io.dedup.store.operator;

import io.dedup.store.DedupStore;

/** A store that can be in front of records in a database: an optional capability, needed by {@code Deduplicator.resetFront}. */
public interface ResettableStore {
    /**
     * Forgets every record, those of live leases as well. For a store in front of records in a database that was put back to
     * an earlier state; anywhere else it makes every message that comes again run again.
     *
     * @return how many records were there
     * @throws io.dedup.DedupStoreException when it isn't certain that all are gone: call it again, before any consumer starts
     */
    long forgetAll();

    /**
     * This capability of a store.
     *
     * @throws UnsupportedOperationException when the store hasn't got it
     */
    static ResettableStore of(DedupStore store) {
        if (store instanceof ResettableStore capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + store.name() + " can't forget all of its records");
    }
}
