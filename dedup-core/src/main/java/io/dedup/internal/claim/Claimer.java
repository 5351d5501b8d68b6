package io.dedup.internal.claim;

import io.dedup.DedupKey;
import io.dedup.DedupStoreException;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.background.BackgroundWrites;
import io.dedup.internal.lease.Heartbeat;
import io.dedup.internal.lease.Owners;
import io.dedup.internal.settle.ClaimHandover;
import io.dedup.internal.storecall.FrontStoreGate;
import io.dedup.internal.storecall.StoreCalls;
import io.dedup.internal.storecall.StoreGate;
import io.dedup.internal.storecall.StoreGates;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.StoreError;
import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Claims messages in the store, and waits in place, within a budget, for messages in flight elsewhere.
 *
 * <p>A claim keeps its owner when it is requested again, so that a request whose answer was lost is recognized.
 *
 * <p>If the store has not heard yet how an earlier run of a message ended, it hears that first. Its claim would count a death
 * otherwise, once the lease of that run is over.
 */
public final class Claimer {
    private final StoreCalls store;
    private final FrontStoreGate front = new FrontStoreGate();
    private final StoreGates gates;
    private final ClaimHandover handover;
    private final BackgroundWrites background;
    private final Owners owners;
    private final Heartbeat heartbeat;
    private final MissingIds missingIds;
    private final ConcurrentCopies concurrent;

    public Claimer(
            StoreCalls store,
            StoreGates gates,
            ClaimHandover handover,
            BackgroundWrites background,
            Owners owners,
            Heartbeat heartbeat,
            MissingIds missingIds,
            ConcurrentCopies concurrent) {
        this.store = store;
        this.gates = gates;
        this.handover = handover;
        this.background = background;
        this.owners = owners;
        this.heartbeat = heartbeat;
        this.missingIds = missingIds;
        this.concurrent = concurrent;
    }

    /** As {@link #keyOf}, when the delivery is met first. */
    @Nullable
    DedupKey arrived(Delivery delivery) {
        missingIds.arrived(delivery);
        return keyOf(delivery);
    }

    /**
     * The key of a delivery's record: in shadow mode, a key in a separate scope; null if the message has no usable ID.
     */
    public static @Nullable DedupKey keyOf(Delivery delivery) {
        DedupKey key = delivery.key();
        return key != null && delivery.isShadow() ? new DedupKey(key.scope().shadow(), key.messageId()) : key;
    }

    /** A claim at the message's turn, for a run of this message alone. */
    public ClaimRequest request(Delivery delivery, DedupKey key) {
        return request(delivery, key, owners.alone());
    }

    /**
     * A new owner for claims that are made together, ahead, or for no run of their message. One owner may hold any number of
     * keys, so a batch needs only one.
     */
    public Owner nextOwner() {
        return owners.notAlone();
    }

    public ClaimRequest request(Delivery delivery, DedupKey key, Owner owner) {
        DedupPolicy policy = delivery.topic().policy();
        return new ClaimRequest(key, owner, policy.lease(), delivery.fingerprint(), policy.fencingToken());
    }

    public ClaimAttempt claim(Delivery delivery, ClaimRequest request) {
        ClaimResult unasked = withoutAsking(delivery, request);
        List<ClaimRequest> alone = List.of(request);
        DedupStoreException unreleased =
                unasked != null ? null : background.releaseBeforeClaims(alone).get(request.key());
        if (unreleased != null) {
            unasked = new StoreError(unreleased);
        }
        if (unasked != null) {
            return ClaimAttempt.unasked(delivery, request, unasked);
        }
        long sentAt = System.nanoTime();
        ClaimResult result = store.claim(alone).get(0);
        if (isInFront(delivery)) {
            front.answered(result instanceof StoreError);
        }
        return new ClaimAttempt(delivery, request, result, sentAt);
    }

    /** The result that is known before calling the store; null if it must be called. */
    private @Nullable ClaimResult withoutAsking(Delivery delivery, ClaimRequest request) {
        ClaimResult known = handover.known(request);
        if (known != null) {
            return known;
        }
        if (isInFront(delivery)) {
            return front.isClosed() ? new StoreError(FrontStoreGate.skip()) : null;
        }
        return gates.keepsClaimsOut(delivery.topic()) ? new StoreError(StoreGate.notAsked()) : null;
    }

    /** Claims a message, and waits in place, within the budget, while the result is undecided. */
    ClaimAttempt claimPatiently(Delivery delivery, ClaimRequest request, WaitBudget budget) {
        ClaimAttempt attempted = claim(delivery, request);
        if (!attempted.isUndecided()) {
            return attempted;
        }
        List<ClaimAttempt> one = new ArrayList<>(List.of(attempted));
        wait(one, budget, answered -> {});
        return one.get(0);
    }

    /** Whether the store is a front store, so that the database record decides. */
    static boolean isInFront(Delivery delivery) {
        return delivery.topic().policy().mode() == DedupMode.TIERED;
    }

    /**
     * Claims several messages with one call. Returns the results in order, a {@link StoreError} for each without an
     * answer.
     */
    public List<ClaimAttempt> claimAll(List<Delivery> deliveries, List<ClaimRequest> requests) {
        List<@Nullable ClaimResult> unasked = new ArrayList<>(requests.size());
        List<ClaimRequest> toAsk = new ArrayList<>(requests.size());
        for (int i = 0; i < requests.size(); i++) {
            ClaimResult known = withoutAsking(deliveries.get(i), requests.get(i));
            unasked.add(known);
            if (known == null) {
                toAsk.add(requests.get(i));
            }
        }
        Map<DedupKey, DedupStoreException> unreleased = background.releaseBeforeClaims(toAsk);
        if (!unreleased.isEmpty()) {
            toAsk.removeIf(request -> unreleased.containsKey(request.key()));
            for (int i = 0; i < requests.size(); i++) {
                DedupStoreException cause = unreleased.get(requests.get(i).key());
                if (unasked.get(i) == null && cause != null) {
                    unasked.set(i, new StoreError(cause));
                }
            }
        }
        long sentAt = System.nanoTime();
        List<ClaimAttempt> attempted = new ArrayList<>(requests.size());
        List<ClaimResult> answers = store.claim(toAsk);
        boolean anyInFront = false;
        boolean frontFailed = false;
        int next = 0;
        for (int i = 0; i < requests.size(); i++) {
            Delivery delivery = deliveries.get(i);
            ClaimResult known = unasked.get(i);
            if (known != null) {
                attempted.add(ClaimAttempt.unasked(delivery, requests.get(i), known));
                continue;
            }
            ClaimResult result = answers.get(next++);
            attempted.add(new ClaimAttempt(delivery, requests.get(i), result, sentAt));
            if (isInFront(delivery)) {
                anyInFront = true;
                frontFailed |= result instanceof StoreError;
            }
        }
        if (anyInFront) {
            front.answered(frontFailed);
        }
        return attempted;
    }

    /**
     * The answer to a claim that was requested again: without one, that of the earlier request, if the store was called only then. Its
     * claim may have been granted. If this process knows the answer by now, nothing else needs that claim.
     */
    ClaimAttempt orUnanswered(ClaimAttempt again, ClaimAttempt before) {
        if (again.asked() || !before.isUnanswered()) {
            return again;
        }
        if (again.result() instanceof StoreError) {
            return before;
        }
        handover.giveBackUnanswered(before.request(), before.delivery().topic().policy());
        return again;
    }

    /**
     * Repeats undecided claims until they are decided or the budget is spent. Replaces them in the list.
     *
     * @param answered receives each new result at once, because a claim that waits for the others of its batch must be
     *     renewed
     */
    void wait(List<ClaimAttempt> attempted, WaitBudget budget, Consumer<ClaimAttempt> answered) {
        for (ClaimAttempt each : attempted) {
            if (each.result() instanceof ClaimResult.InFlight
                    && !each.delivery().isShadow()) {
                concurrent.met(each.delivery());
            }
        }
        new ClaimWait(heartbeat, attempted, budget, indexes -> askAgain(attempted, indexes, answered)).run();
    }

    private void askAgain(List<ClaimAttempt> attempted, List<Integer> indexes, Consumer<ClaimAttempt> answered) {
        List<Delivery> deliveries = new ArrayList<>(indexes.size());
        List<ClaimRequest> requests = new ArrayList<>(indexes.size());
        for (int i : indexes) {
            deliveries.add(attempted.get(i).delivery());
            requests.add(attempted.get(i).request());
        }
        List<ClaimAttempt> again = claimAll(deliveries, requests);
        for (int i = 0; i < again.size(); i++) {
            int index = indexes.get(i);
            ClaimAttempt known = orUnanswered(again.get(i), attempted.get(index));
            attempted.set(index, known);
            answered.accept(known);
        }
    }
}
