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
import java.util.List;
import java.util.UUID;

/**
 * Claims a message as another process would, and then stops: its lease isn't renewed and expires by the store's clock.
 * It can also come back late, when another consumer may have taken over, and do what a paused process would then do.
 * After a takeover, the store must answer every call with {@code LeaseLost} and change nothing. Thread-safe.
 */
public final class ZombieHolder {
    private final DedupStore store;
    private final Claim claim;

    private ZombieHolder(DedupStore store, Claim claim) {
        this.store = store;
        this.claim = claim;
    }

    /**
     * Claims a message, and does nothing more.
     *
     * @param lease at least 1 ms
     * @throws IllegalStateException when the message cannot be claimed now
     */
    public static ZombieHolder claim(DedupStore store, DedupKey key, Duration lease) {
        Owner owner = new Owner("zombie-" + UUID.randomUUID());
        ClaimResult answer =
                store.claim(List.of(new ClaimRequest(key, owner, lease))).get(0);
        if (!(answer instanceof ClaimResult.Acquired acquired)) {
            throw new IllegalStateException("Cannot claim " + key + ": the store answered " + answer);
        }
        return new ZombieHolder(store, new Claim(key, owner, acquired.attempt()));
    }

    /** Returns the claim that it shows to the store. */
    public Claim claim() {
        return claim;
    }

    /** Comes back and completes the message. */
    public WriteResult complete(Window window) {
        return store.complete(List.of(new CompleteRequest(claim, window, null, false)))
                .get(0);
    }

    /** Comes back and releases its claim. */
    public WriteResult release() {
        return store.release(List.of(new ReleaseRequest(claim, ReleaseMode.STARTED)))
                .get(0);
    }

    /** Comes back and renews its lease. */
    public WriteResult renew(Duration lease) {
        return store.renew(List.of(new RenewRequest(claim, lease))).get(0);
    }
}
