package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.internal.SafeListeners;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.InFlight;
import io.dedup.store.ClaimResult.StoreError;
import io.dedup.store.DedupStore;
import io.dedup.store.DedupStoreException;
import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the store for claims, and waits in place, within a budget, for those that are in flight elsewhere.
 *
 * <p>A claim keeps its owner while it is asked for again, so that a request whose answer was lost recognises itself.
 */
final class Claimer {
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final DedupStore store;
    private final SafeListeners<DedupListener> notifier;
    private final Owners owners;

    Claimer(DedupStore store, SafeListeners<DedupListener> notifier, Owners owners) {
        this.store = store;
        this.notifier = notifier;
        this.owners = owners;
    }

    ClaimRequest request(Delivery delivery, DedupKey key) {
        return request(delivery, key, owners.next());
    }

    /** One owner may hold any number of keys: a batch needs only one. */
    Owner nextOwner() {
        return owners.next();
    }

    ClaimRequest request(Delivery delivery, DedupKey key, Owner owner) {
        var policy = delivery.topic().policy();
        return new ClaimRequest(key, owner, policy.lease(), delivery.fingerprint(), policy.fencingToken());
    }

    Attempted claim(Delivery delivery, ClaimRequest request) {
        long sentAt = System.nanoTime();
        ClaimResult result;
        try {
            result = store.claim(request);
        } catch (RuntimeException e) {
            result = failed(e);
        }
        return new Attempted(delivery, request, result, sentAt);
    }

    /** One call for all; the answers in order, a {@link StoreError} for each that has none. */
    List<Attempted> claimAll(List<Delivery> deliveries, List<ClaimRequest> requests) {
        long sentAt = System.nanoTime();
        List<ClaimResult> results;
        try {
            results = store.claimAll(requests);
        } catch (RuntimeException e) {
            ClaimResult error = new StoreError(wrap(store, e));
            results = requests.stream().map(request -> error).toList();
        }
        List<Attempted> attempted = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            if (results.get(i) instanceof StoreError error) {
                notifier.tell(listener -> listener.storeError("claim", error.cause()));
            }
            attempted.add(new Attempted(deliveries.get(i), requests.get(i), results.get(i), sentAt));
        }
        return attempted;
    }

    private ClaimResult failed(RuntimeException e) {
        DedupStoreException error = wrap(store, e);
        notifier.tell(listener -> listener.storeError("claim", error));
        return new StoreError(error);
    }

    /** Asks again for the undecided ones until they are decided or the budget is spent. Replaces them in the list. */
    void wait(List<Attempted> attempted, WaitBudget budget) {
        long asked = System.nanoTime();
        long pollNanos = FIRST_POLL_NANOS;
        boolean errorsRetried = false;
        while (true) {
            List<Integer> undecided = new ArrayList<>();
            long pause = 0;
            for (int i = 0; i < attempted.size(); i++) {
                Attempted each = attempted.get(i);
                // A store that fails twice in a row is down: waiting for it in place would hold everything up.
                if (!each.isUndecided() || (each.result() instanceof StoreError && errorsRetried)) {
                    continue;
                }
                long leftOfWait =
                        each.delivery().topic().policy().inFlightWait().toNanos() - (System.nanoTime() - asked);
                if (each.result() instanceof InFlight inFlight && leftOfWait > 0) {
                    long remaining = inFlight.remaining().toNanos() + TimeUnit.MILLISECONDS.toNanos(1);
                    pause = Math.max(pause, Math.min(Math.min(pollNanos, remaining), leftOfWait));
                    undecided.add(i);
                } else if (each.result() instanceof StoreError) {
                    undecided.add(i);
                }
            }
            pause = Math.min(pause, budget.nanosLeft());
            if (undecided.isEmpty()
                    || budget.nanosLeft() == 0
                    || Thread.currentThread().isInterrupted()) {
                return;
            }
            long from = System.nanoTime();
            LockSupport.parkNanos(pause);
            askAgain(attempted, undecided);
            budget.spend(System.nanoTime() - from);
            pollNanos = Math.min(MAX_POLL_NANOS, pollNanos * 2);
            errorsRetried = true;
        }
    }

    private void askAgain(List<Attempted> attempted, List<Integer> undecided) {
        if (undecided.size() == 1) {
            Attempted before = attempted.get(undecided.get(0));
            attempted.set(undecided.get(0), claim(before.delivery(), before.request()));
            return;
        }
        List<Delivery> deliveries = new ArrayList<>();
        List<ClaimRequest> requests = new ArrayList<>();
        for (int i : undecided) {
            deliveries.add(attempted.get(i).delivery());
            requests.add(attempted.get(i).request());
        }
        List<Attempted> again = claimAll(deliveries, requests);
        for (int i = 0; i < again.size(); i++) {
            attempted.set(undecided.get(i), again.get(i));
        }
    }

    /** Whatever a store throws, nothing is known of what was asked for. */
    static DedupStoreException wrap(DedupStore store, RuntimeException e) {
        return e instanceof DedupStoreException error
                ? error
                : new DedupStoreException("store " + store.name() + " failed unexpectedly: " + e, e);
    }
}
