package io.dedup.internal.claim;

import io.dedup.DedupStoreException;
import io.dedup.adapter.Delivery;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;

/**
 * A claim and what became of it.
 *
 * @param sentAt when the request that was answered was sent, by {@link System#nanoTime()}; {@link #NOT_SENT} when the store
 *     wasn't asked, because this process knows the answer, or knows that there will be none
 */
record ClaimAttempt(Delivery delivery, ClaimRequest request, ClaimResult result, long sentAt) {
    private static final long NOT_SENT = Long.MIN_VALUE;

    /** What is known without asking the store. */
    static ClaimAttempt unasked(Delivery delivery, ClaimRequest request, ClaimResult result) {
        return new ClaimAttempt(delivery, request, result, NOT_SENT);
    }

    /** Whether the store was asked. */
    boolean asked() {
        return sentAt != NOT_SENT;
    }

    /** A claim whose answer was lost in this process. */
    public static ClaimAttempt unknown(Delivery delivery, ClaimRequest request) {
        DedupStoreException cause = new DedupStoreException("the answer was lost", null);
        return new ClaimAttempt(delivery, request, new ClaimResult.StoreError(cause), System.nanoTime());
    }

    /**
     * This one, unless the store wasn't asked this time and has left an earlier request by the same owner without an answer: it
     * may have granted that claim, and somebody has to use it or to give it up.
     */
    ClaimAttempt orUnanswered(ClaimAttempt before) {
        return !asked() && before.asked() && before.result() instanceof ClaimResult.StoreError ? before : this;
    }

    /** Whether asking again may change the answer. */
    public boolean isUndecided() {
        return result instanceof ClaimResult.InFlight || result instanceof ClaimResult.StoreError;
    }

    /** Whether a process has died with this message's claim, so that it is to run where its neighbours aren't charged. */
    boolean needsIsolation() {
        return result instanceof ClaimResult.Acquired acquired
                && acquired.tookOver()
                && delivery.topic().policy().maxDeaths() > 0
                && !delivery.isShadow();
    }
}
