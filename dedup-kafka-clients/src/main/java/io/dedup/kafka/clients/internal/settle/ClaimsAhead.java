package io.dedup.kafka.clients.internal.settle;

import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import java.time.Duration;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims deliveries with one call before their turns, as many as the handler is expected to get through within a third
 * of their lease. If a handler hangs, the claims behind it are given back, so that other consumers can handle these
 * messages. Thread-safe; the consumer's thread claims and admits.
 */
public final class ClaimsAhead {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");
    private static final int SHARE_OF_LEASE = 3;
    private static final int LONGEST_WAIT_OF_LEASE = 2;
    private static final int MOST = 500;

    private final DedupAdapter engine;
    private final ReentrantLock lock = new ReentrantLock();
    private IdentityHashMap<Delivery, ClaimAhead> unstarted = new IdentityHashMap<>();
    /** Used by the consumer's thread. */
    private final Pace pace = new Pace();

    public ClaimsAhead(DedupAdapter engine) {
        this.engine = engine;
    }

    /** Returns how many of these, from the first on, to claim together. */
    public int share(List<Delivery> deliveries) {
        long nanos = 0;
        long shortestLease = Long.MAX_VALUE;
        for (int i = 0; i < Math.min(MOST, deliveries.size()); i++) {
            nanos += pace.nanosPerRecord();
            shortestLease = Math.min(
                    shortestLease, deliveries.get(i).topic().policy().lease().toNanos());
            if (nanos > shortestLease / SHARE_OF_LEASE) {
                return Math.max(1, i);
            }
        }
        return Math.min(MOST, deliveries.size());
    }

    /** Claims these with one call. Those that can't be claimed ahead are claimed at their turns. */
    public void claim(List<Delivery> deliveries) {
        pace.begin(deliveries.size());
        if (deliveries.size() < 2) {
            return; // saves nothing
        }
        List<@Nullable ClaimAhead> claims = engine.ahead().claim(deliveries);
        try {
            long patience = Long.MAX_VALUE;
            IdentityHashMap<Delivery, ClaimAhead> made = new IdentityHashMap<>();
            for (ClaimAhead claim : claims) {
                if (claim != null) {
                    made.put(claim.delivery(), claim);
                    Duration lease = claim.delivery().topic().policy().lease();
                    patience = Math.min(patience, lease.toNanos() / LONGEST_WAIT_OF_LEASE);
                }
            }
            if (made.isEmpty()) {
                return;
            }
            CompletableFuture.delayedExecutor(patience, TimeUnit.NANOSECONDS, engine.settlements())
                    .execute(() -> giveBackForgotten(made));
            keep(made);
        } catch (Throwable e) { // otherwise they would be renewed for maxProcessingTime
            engine.ahead().giveBack(claims);
            throw e;
        }
    }

    private void keep(IdentityHashMap<Delivery, ClaimAhead> made) {
        lock.lock();
        try {
            unstarted = made;
        } finally {
            lock.unlock();
        }
    }

    /** Decides about the delivery whose turn it is; with the claim made ahead, without asking the store. */
    public Admission admit(Delivery delivery) {
        ClaimAhead claim = take(delivery);
        // Never waits: only this partition is held if the message is in flight, and the others go on.
        return claim == null
                ? engine.admit(delivery, WaitBudget.none())
                : engine.ahead().admit(claim, WaitBudget.none());
    }

    /** Whether there is no claim for this delivery, so that it is claimed alone, at its turn. */
    public boolean isClaimedAlone(Delivery delivery) {
        lock.lock();
        try {
            return !unstarted.containsKey(delivery);
        } finally {
            lock.unlock();
        }
    }

    private @Nullable ClaimAhead take(Delivery delivery) {
        lock.lock();
        try {
            return unstarted.remove(delivery);
        } finally {
            lock.unlock();
        }
    }

    /** Gives back the claims whose turns don't come. Never throws. */
    public void end() {
        pace.end();
        giveBack(takeAll(unstarted));
    }

    private void giveBackForgotten(IdentityHashMap<Delivery, ClaimAhead> claims) {
        giveBack(takeAll(claims));
    }

    private Collection<ClaimAhead> takeAll(IdentityHashMap<Delivery, ClaimAhead> claims) {
        lock.lock();
        try {
            List<ClaimAhead> all = List.copyOf(claims.values());
            claims.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(Collection<ClaimAhead> claims) {
        if (claims.isEmpty()) {
            return;
        }
        try {
            engine.ahead().giveBack(claims);
        } catch (RuntimeException | Error e) {
            log.warn(
                    "Cannot give back {} claims to the deduplication store; these messages are in flight until their"
                            + " leases expire",
                    claims.size(),
                    e);
        }
    }
}
