package io.dedup.store.operator;

import io.dedup.store.DedupStore;

/** A store that can list messages whose handling was started and is not done: an optional capability, for operators. */
public interface StuckRecordFinder {
    /**
     * Returns the unfinished messages that match a query: records with an attempt of 1 or more that are not DONE and
     * whose last claim is at least {@link StuckQuery#olderThan} old. If the time of the claim is not known, because it
     * asked for no fencing token, the end of its lease or its release counts instead; such a record is therefore not
     * listed while its lease is live.
     *
     * <p>May read every record of the store, which takes time, but does not block other calls. Records that change
     * meanwhile may be in the result or not.
     *
     * @throws io.dedup.DedupStoreException if the store does not answer, or not within its time limit
     */
    StuckRecords findStuck(StuckQuery query);

    /**
     * Returns this capability of a store.
     *
     * @throws UnsupportedOperationException if the store does not have it
     */
    static StuckRecordFinder of(DedupStore store) {
        if (store instanceof StuckRecordFinder capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + store.name() + " does not support listing stuck records");
    }
}
