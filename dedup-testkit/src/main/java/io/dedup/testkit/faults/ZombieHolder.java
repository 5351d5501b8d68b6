package io.dedup.testkit.faults;

import io.dedup.DedupKey;
import io.dedup.policy.Window;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.RenewRequest;
import io.dedup.store.WriteResult;
import java.time.Duration;
import java.util.UUID;

/**
 * Claims a message as another process would, and doesn't come back: its lease isn't renewed, and runs out by the store's
 * clock. Or comes back late, when somebody else may have taken over, and does what a paused process would do then. Once
 * somebody has, every answer is to be {@code LeaseLost}, and nothing may change. Thread-safe.
 */
public final class ZombieHolder {
    private final DedupStore store;
    private final Claim claim;

    private ZombieHolder(DedupStore store, Claim claim) {
        this.store = store;
        this.claim = claim;
    }

    /**
     * Claims, and is not heard of any more.
     *
     * @param lease at least 1 ms
     * @throws IllegalStateException when the message can't be claimed now
     */
    public static ZombieHolder claim(DedupStore store, DedupKey key, Duration lease) {
        Owner owner = new Owner("zombie-" + UUID.randomUUID());
        ClaimResult answer = store.claim(new ClaimRequest(key, owner, lease));
        if (!(answer instanceof ClaimResult.Acquired acquired)) {
            throw new IllegalStateException("can't claim " + key + ": " + answer);
        }
        return new ZombieHolder(store, new Claim(key, owner, acquired.attempt()));
    }

    /** What the store was shown. */
    public Claim claim() {
        return claim;
    }

    /** Comes back, and reports a success. */
    public WriteResult complete(Window window) {
        return store.complete(new CompleteRequest(claim, window, null, false));
    }

    /** Comes back, and gives up. */
    public WriteResult release() {
        return store.release(new ReleaseRequest(claim, ReleaseMode.STARTED));
    }

    /** Comes back, and wants to go on. */
    public WriteResult renew(Duration lease) {
        return store.renew(new RenewRequest(claim, lease));
    }
}
