package io.dedup.benchmarks.latency;

import io.dedup.benchmarks.measure.Ids;
import io.dedup.benchmarks.subject.StoreRequests;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * One thread that claims and completes new messages at a steady rate, and times the claims. A claim that is held up by the
 * one before counts from when it was due. Not thread-safe.
 */
final class SteadyClaims {
    private static final long FIRST_NEW = 1L << 41;

    private final DedupStore store;
    private final long nanosBetween;
    private long next = FIRST_NEW;

    SteadyClaims(DedupStore store, int perSecond) {
        this.store = store;
        this.nanosBetween = Duration.ofSeconds(1).toNanos() / perSecond;
    }

    void run(Duration time, Percentiles percentiles) {
        long due = System.nanoTime();
        long end = due + time.toNanos();
        while (due < end) {
            due += nanosBetween;
            waitUntil(due);
            Owner owner = StoreRequests.newOwner();
            ClaimRequest request = StoreRequests.claim(Ids.text(next++), owner, true);
            ClaimResult result = store.claim(List.of(request)).get(0);
            percentiles.add(System.nanoTime() - due);
            if (!(result instanceof ClaimResult.Acquired)) {
                throw new IllegalStateException("a new message is answered with " + result);
            }
            if (!store.complete(List.of(StoreRequests.completion(request.key().messageId(), owner)))
                    .get(0)
                    .isApplied()) {
                throw new IllegalStateException("a completion wasn't applied");
            }
        }
    }

    private static void waitUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
