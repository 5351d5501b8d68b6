package io.dedup.store;

import java.util.List;

/**
 * A store that keeps the steps of unfinished messages: an optional capability. Handlers cannot use steps without it.
 *
 * <p>A record's steps are bytes that the store only appends to and returns. They belong to the unfinished record: they stay
 * with it when its claim is released, given back, renewed or taken over; the next claim returns them in
 * {@link ClaimResult.Acquired#steps()}, and {@code find} in {@link StoredRecord#steps()}. They end with it: when the message is
 * done, when the record is deleted, and when it counts as absent. A record without steps must cost nothing for them.
 */
public interface StepRecords {
    /**
     * Appends to the steps of messages that these owners have claimed. Also succeeds after a lease has expired, unless another
     * owner has taken over. Lists are as in {@link DedupStore}. A request that is repeated appends twice, which the caller
     * allows for.
     */
    List<WriteResult> keepSteps(List<StepRequest> requests);

    /**
     * Returns this capability of a store.
     *
     * @throws UnsupportedOperationException if the store does not have it
     */
    static StepRecords of(DedupStore store) {
        if (store instanceof StepRecords capable) {
            return capable;
        }
        throw new UnsupportedOperationException("store " + store.name() + " cannot keep steps of handlers: it does not"
                + " implement StepRecords. Handle the message without step(...), or use another store");
    }
}
