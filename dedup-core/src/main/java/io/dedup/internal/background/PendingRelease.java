package io.dedup.internal.background;

import io.dedup.store.Claim;
import io.dedup.store.ReleaseRequest;

/**
 * A claim to give up that the store couldn't be told of; it may never have been made.
 *
 * @param pointlessAt when its lease is over anyhow, by {@link System#nanoTime()}
 */
record PendingRelease(ReleaseRequest request, long pointlessAt) {
    public Claim claim() {
        return request.claim();
    }

    boolean isPointless() {
        return System.nanoTime() - pointlessAt > 0;
    }
}
