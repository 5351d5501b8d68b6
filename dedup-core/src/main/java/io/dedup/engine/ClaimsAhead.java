package io.dedup.engine;

import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.Owner;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims deliveries with one call before they are handled one by one. What becomes of each is decided, and told to the
 * listeners, at its turn, exactly as {@link DedupEngine#admit} does; until then its claim is under the heartbeat.
 * Thread-safe.
 */
public final class ClaimsAhead {
    private final Claimer claimer;
    private final Decider decider;
    private final CloseOut closeOut;
    private final BooleanSupplier closed;

    ClaimsAhead(Claimer claimer, Decider decider, CloseOut closeOut, BooleanSupplier closed) {
        this.claimer = claimer;
        this.decider = decider;
        this.closeOut = closeOut;
        this.closed = closed;
    }

    /**
     * Claims what can be claimed ahead: the first delivery of each key, in {@link DedupMode#LEASED} and not in shadow mode.
     * Never waits for a message that is in flight elsewhere.
     *
     * @return in the order of the deliveries; null for one that is to be admitted at its turn. All are null where a claim
     *     was found whose process had died with it: then each is to run on its own, so that only the one that kills is
     *     charged for it.
     */
    public List<@Nullable ClaimAhead> claim(List<Delivery> deliveries) {
        @Nullable ClaimAhead[] claims = new ClaimAhead[deliveries.size()];
        List<Integer> indexes = new ArrayList<>(deliveries.size());
        List<Delivery> toClaim = new ArrayList<>(deliveries.size());
        List<ClaimRequest> requests = new ArrayList<>(deliveries.size());
        Owner owner = claimer.nextOwner();
        Set<DedupKey> keys = new HashSet<>();
        for (int i = 0; i < claims.length; i++) {
            Delivery delivery = deliveries.get(i);
            DedupKey key = delivery.key();
            if (key != null
                    && !delivery.isShadow()
                    && delivery.topic().policy().mode() == DedupMode.LEASED
                    && keys.add(key)) {
                indexes.add(i);
                toClaim.add(delivery);
                requests.add(claimer.request(delivery, key, owner));
            }
        }
        if (requests.isEmpty() || closed.getAsBoolean()) {
            return Collections.unmodifiableList(Arrays.asList(claims));
        }
        boolean isolate = false;
        List<ClaimAhead> made = new ArrayList<>(requests.size());
        List<Attempted> answers = claimer.claimAll(toClaim, requests);
        for (int i = 0; i < answers.size(); i++) {
            Attempted answer = answers.get(i);
            isolate |= answer.needsIsolation();
            if (!(answer.result() instanceof ClaimResult.InFlight)) { // to be asked about again at its turn
                ClaimAhead claim = new ClaimAhead(
                        answer,
                        answer.result() instanceof Acquired acquired ? decider.register(answer, acquired) : null);
                made.add(claim);
                claims[indexes.get(i)] = claim;
            }
        }
        if ((isolate && deliveries.size() > 1) || closed.getAsBoolean()) {
            giveBack(made);
            return Collections.nCopies(deliveries.size(), null);
        }
        return Collections.unmodifiableList(Arrays.asList(claims));
    }

    /** Decides about a delivery whose turn it is. Takes no round trip unless the store's answer has become worthless. */
    public Admission admit(ClaimAhead claim, WaitBudget budget) {
        Execution execution = claim.execution();
        if (closed.getAsBoolean()) {
            giveBack(List.of(claim));
            return decider.closed(claim.delivery());
        }
        if (execution != null && execution.leaseLost()) { // while it waited; nothing has begun
            execution.giveBack();
            return ask(claim.delivery(), claimer.request(claim.delivery(), claim.key()), budget);
        }
        if (claim.attempted().isUndecided()) { // by the same owner, which so recognises what its lost answer has left
            return ask(claim.delivery(), claim.attempted().request(), budget);
        }
        return decider.decide(claim.attempted(), execution);
    }

    private Admission ask(Delivery delivery, ClaimRequest request, WaitBudget budget) {
        return decider.decide(claimer.claimPatiently(delivery, request, budget));
    }

    /** Gives up claims whose deliveries have not begun, with one call; their attempts don't count. */
    public void giveBack(Collection<ClaimAhead> claims) {
        List<Execution> open = new ArrayList<>(claims.size());
        for (ClaimAhead claim : claims) {
            Execution execution = claim.execution();
            if (execution == null) {
                if (claim.attempted().result() instanceof ClaimResult.StoreError) {
                    decider.giveBackUnanswered(claim.attempted());
                }
            } else if (execution.close()) {
                open.add(execution);
            }
        }
        if (!open.isEmpty()) {
            boolean unused = closeOut.releaseAll(open, null);
        }
    }

    /** Tells the listeners of a copy of a message whose handler has succeeded, and whose completion is on its way. */
    public void follows(Delivery copy, Execution handled) {
        decider.duplicateOfHandled(copy, handled);
    }
}
