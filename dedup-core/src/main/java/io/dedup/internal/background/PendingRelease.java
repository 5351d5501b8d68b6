package io.dedup.internal.background;

import io.dedup.store.Claim;
import io.dedup.store.ReleaseRequest;

/**
 * A release that the store has not answered; the claim may never have been made.
 *
 * @param pointlessAt when its lease ends anyway, by {@link System#nanoTime()}
 */
record PendingRelease(ReleaseRequest request, long pointlessAt) {
    public Claim claim() {
        return request.claim();
    }

    boolean isPointless() {
        return System.nanoTime() - pointlessAt > 0;
    }
}
