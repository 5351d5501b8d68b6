package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.DedupPolicy;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.InFlight;
import io.dedup.store.ClaimResult.StoreError;
import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Asks the store for claims, and waits in place, within a budget, for those that are in flight elsewhere.
 *
 * <p>A claim keeps its owner while it is asked for again, so that a request whose answer was lost recognises itself.
 */
final class Claimer {
    private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long MAX_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LEASE_END_MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final StoreCalls store;
    private final FrontGate gate = new FrontGate();
    private final Owners owners;

    Claimer(StoreCalls store, Owners owners) {
        this.store = store;
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
        DedupPolicy policy = delivery.topic().policy();
        return new ClaimRequest(key, owner, policy.lease(), delivery.fingerprint(), policy.fencingToken());
    }

    Attempted claim(Delivery delivery, ClaimRequest request) {
        long sentAt = System.nanoTime();
        if (!isInFront(delivery)) {
            return new Attempted(delivery, request, store.claim(request), sentAt);
        }
        if (gate.isClosed()) {
            return new Attempted(delivery, request, new StoreError(FrontGate.skip()), sentAt);
        }
        ClaimResult result = store.claim(request);
        gate.answered(result instanceof StoreError);
        return new Attempted(delivery, request, result, sentAt);
    }

    /** The same, but waits in place, within the budget, while it is undecided. */
    Attempted claimPatiently(Delivery delivery, ClaimRequest request, WaitBudget budget) {
        Attempted attempted = claim(delivery, request);
        if (!attempted.isUndecided()) {
            return attempted;
        }
        List<Attempted> one = new ArrayList<>(List.of(attempted));
        wait(one, budget, answered -> {});
        return one.get(0);
    }

    /** Whether the store is only in front of what decides. */
    private static boolean isInFront(Delivery delivery) {
        return delivery.topic().policy().mode() == DedupMode.TIERED;
    }

    /** One call for all; the answers in order, a {@link StoreError} for each that has none. */
    List<Attempted> claimAll(List<Delivery> deliveries, List<ClaimRequest> requests) {
        long sentAt = System.nanoTime();
        List<ClaimResult> results = answers(deliveries, requests);
        List<Attempted> attempted = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            attempted.add(new Attempted(deliveries.get(i), requests.get(i), results.get(i), sentAt));
        }
        return attempted;
    }

    private List<ClaimResult> answers(List<Delivery> deliveries, List<ClaimRequest> requests) {
        if (!deliveries.stream().allMatch(Claimer::isInFront)) {
            return store.claimAll(requests);
        }
        if (gate.isClosed()) {
            return Collections.nCopies(requests.size(), new StoreError(FrontGate.skip()));
        }
        List<ClaimResult> results = store.claimAll(requests);
        gate.answered(results.stream().anyMatch(StoreError.class::isInstance));
        return results;
    }

    /**
     * Asks again for the undecided ones until they are decided or the budget is spent. Replaces them in the list.
     *
     * @param answered is told each new answer at once: a claim that waits for its neighbours needs a heartbeat
     */
    void wait(List<Attempted> attempted, WaitBudget budget, Consumer<Attempted> answered) {
        long asked = System.nanoTime();
        long pollNanos = FIRST_POLL_NANOS;
        boolean errorsRetried = false;
        while (budget.nanosLeft() > 0 && !Thread.currentThread().isInterrupted()) {
            List<Integer> again = new ArrayList<>();
            long pause = 0;
            for (int i = 0; i < attempted.size(); i++) {
                Attempted each = attempted.get(i);
                DedupPolicy policy = each.delivery().topic().policy();
                long leftOfWait = policy.inFlightWait().toNanos() - (System.nanoTime() - asked);
                if (policy.shadow()) {
                    continue;
                }
                if (each.result() instanceof InFlight inFlight && leftOfWait > 0) {
                    long remaining = inFlight.remaining().toNanos() + LEASE_END_MARGIN_NANOS;
                    pause = Math.max(pause, Math.min(Math.min(pollNanos, remaining), leftOfWait));
                    again.add(i);
                } else if (each.result() instanceof StoreError && !errorsRetried && !isInFront(each.delivery())) {
                    // A store that fails twice in a row is down: waiting for it in place would hold everything up.
                    again.add(i);
                }
            }
            if (again.isEmpty()) {
                return;
            }
            long from = System.nanoTime();
            LockSupport.parkNanos(Math.min(pause, budget.nanosLeft()));
            askAgain(attempted, again, answered);
            budget.spend(System.nanoTime() - from);
            pollNanos = Math.min(MAX_POLL_NANOS, pollNanos * 2);
            errorsRetried = true;
        }
    }

    private void askAgain(List<Attempted> attempted, List<Integer> indexes, Consumer<Attempted> answered) {
        if (indexes.size() == 1) {
            Attempted before = attempted.get(indexes.get(0));
            set(attempted, indexes.get(0), claim(before.delivery(), before.request()), answered);
            return;
        }
        List<Delivery> deliveries = new ArrayList<>(indexes.size());
        List<ClaimRequest> requests = new ArrayList<>(indexes.size());
        for (int i : indexes) {
            deliveries.add(attempted.get(i).delivery());
            requests.add(attempted.get(i).request());
        }
        List<Attempted> again = claimAll(deliveries, requests);
        for (int i = 0; i < again.size(); i++) {
            set(attempted, indexes.get(i), again.get(i), answered);
        }
    }

    private static void set(List<Attempted> attempted, int index, Attempted answer, Consumer<Attempted> answered) {
        attempted.set(index, answer);
        answered.accept(answer);
    }
}
