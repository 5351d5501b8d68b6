package io.dedup.engine;

import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;

/**
 * A claim and what became of it.
 *
 * @param sentAt when the request that was answered was sent, by {@link System#nanoTime()}
 */
record Attempted(Delivery delivery, ClaimRequest request, ClaimResult result, long sentAt) {
    /** Whether asking again may change the answer. */
    boolean isUndecided() {
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
