package io.dedup.store.operator;

import java.util.List;

/**
 * A store, or the records of transactions, that can record messages as done which were handled elsewhere: an optional
 * capability, for {@code Deduplicator.importDone}.
 */
public interface ImportingStore {
    /**
     * Records messages as done. Each request is atomic, and decided in this order, by the store's clock:
     *
     * <ol>
     *   <li>The window has ended: {@code OVER}.
     *   <li>The record has a live lease: {@code HELD}. A store may also answer this if another transaction has locked
     *       the record.
     *   <li>The record is done: it keeps the later of both completion times, the later of both ends of the window, its
     *       fingerprint, and its result unless it has none. {@code IMPORTED} if that changes a time, otherwise
     *       {@code KNOWN}.
     *   <li>Otherwise the record becomes done: {@code IMPORTED}. It keeps the attempt and the fingerprint of a claim
     *       that was released or whose lease has ended; without such a record, the attempt is 0.
     * </ol>
     *
     * <p>Repeating a request changes nothing. Requests contain each key once; there may be any number of them.
     *
     * @return one result per request, in order, with {@code StoreError} for requests without an answer
     * @throws io.dedup.DedupStoreException if no request has an answer
     */
    List<ImportResult> importDone(List<ImportRequest> requests);

    /**
     * Returns this capability of a store or of the records of transactions.
     *
     * @param name of the store, for the error message
     * @throws UnsupportedOperationException if it does not have it
     */
    static ImportingStore of(Object store, String name) {
        if (store instanceof ImportingStore capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + name + " does not support importing records");
    }
}
