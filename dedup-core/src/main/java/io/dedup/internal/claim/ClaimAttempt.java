package io.dedup.internal.claim;

import io.dedup.DedupStoreException;
import io.dedup.adapter.Delivery;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;

/**
 * A claim and its result.
 *
 * @param sentAt when the answered request was sent, by {@link System#nanoTime()}; {@link #NOT_SENT} if the store was
 *     not called, because this process already knows the answer or that there will be none
 */
record ClaimAttempt(Delivery delivery, ClaimRequest request, ClaimResult result, long sentAt) {
    private static final long NOT_SENT = Long.MIN_VALUE;

    /** A result that is known without calling the store. */
    static ClaimAttempt unasked(Delivery delivery, ClaimRequest request, ClaimResult result) {
        return new ClaimAttempt(delivery, request, result, NOT_SENT);
    }

    /** Whether the store was called. */
    boolean asked() {
        return sentAt != NOT_SENT;
    }

    /** A claim whose answer was lost in this process. */
    public static ClaimAttempt unknown(Delivery delivery, ClaimRequest request) {
        DedupStoreException cause = new DedupStoreException("the answer to the claim was lost", null);
        return new ClaimAttempt(delivery, request, new ClaimResult.StoreError(cause), System.nanoTime());
    }

    /** Whether the store was called and gave no answer: the claim may have been granted, and must be used or released. */
    boolean isUnanswered() {
        return asked() && result instanceof ClaimResult.StoreError;
    }

    /** Whether asking again may change the answer. */
    public boolean isUndecided() {
        return result instanceof ClaimResult.InFlight || result instanceof ClaimResult.StoreError;
    }

    /**
     * Whether the message must run alone, because it may have crashed a process: it has deaths, or the claim took over one with
     * an expired lease. The death of a batch counts for none of its messages, so this one could crash processes forever.
     */
    boolean needsIsolation() {
        return result instanceof ClaimResult.Acquired acquired
                && (acquired.tookOver() || acquired.deaths() > 0)
                && delivery.topic().policy().maxDeaths() > 0
                && !delivery.isShadow();
    }
}
