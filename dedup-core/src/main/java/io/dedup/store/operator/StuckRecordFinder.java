package io.dedup.store.operator;

import io.dedup.store.DedupStore;

/** A store that can list the messages that began and aren't done: an optional capability, for operators. */
public interface StuckRecordFinder {
    /**
     * Messages that began and aren't done, for operators: those of records with an attempt of 1 or more that aren't DONE, and
     * whose last claim is {@link StuckQuery#olderThan} old. Where the claim's time isn't known, because it asked for no fencing
     * token, the end of its lease or its release counts instead, so that a live lease of such a one isn't listed.
     *
     * <p>It looks at every record of the store, if need be, and so takes its time; it holds nobody else up meanwhile. Claims
     * that are made, released or completed meanwhile may be among the answers or not.
     *
     * @throws io.dedup.DedupStoreException when there is no answer, or none in the time that the store allows itself
     */
    StuckRecords findStuck(StuckQuery query);

    /**
     * This capability of a store.
     *
     * @throws UnsupportedOperationException when the store hasn't got it
     */
    static StuckRecordFinder of(DedupStore store) {
        if (store instanceof StuckRecordFinder capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + store.name() + " can't list its records");
    }
}
