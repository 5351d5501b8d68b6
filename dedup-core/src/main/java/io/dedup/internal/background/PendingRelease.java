package io.dedup.internal.background;

import io.dedup.store.Claim;
import io.dedup.store.ReleaseRequest;

/**
 * A release that the store has not answered; the claim may never have been made.
 *
 * @param leaseEndsAt when its lease ends anyway, by {@link System#nanoTime()}
 * @param countsDeath whether the end of its lease would count as a death of the message; then the release matters afterwards, too
 */
record PendingRelease(ReleaseRequest request, long leaseEndsAt, boolean countsDeath) {
    public Claim claim() {
        return request.claim();
    }

    boolean isPointless() {
        return !countsDeath && System.nanoTime() - leaseEndsAt > 0;
    }
}
