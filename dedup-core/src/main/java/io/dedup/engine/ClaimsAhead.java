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
        // Allocated before the first claim is renewed: an Error must not leave claims that are renewed for ever.
        Execution[] executions = new Execution[requests.size()];
        List<Attempted> answers = List.of();
        try {
            answers = claimer.claimAll(toClaim, requests);
            boolean isolate = false;
            for (int i = 0; i < answers.size(); i++) {
                Attempted answer = answers.get(i);
                isolate |= answer.needsIsolation();
                if (isWorthKeeping(answer)) {
                    if (answer.result() instanceof Acquired acquired) {
                        executions[i] = decider.execution(answer, acquired);
                        decider.renew(executions[i]);
                    }
                    claims[indexes.get(i)] = new ClaimAhead(answer, executions[i]);
                }
            }
            if ((isolate && deliveries.size() > 1) || closed.getAsBoolean()) {
                giveBack(Arrays.asList(claims));
                return Collections.nCopies(deliveries.size(), null);
            }
            return Collections.unmodifiableList(Arrays.asList(claims));
        } catch (Throwable e) {
            giveBackAll(toClaim, requests, answers, executions);
            throw e;
        }
    }

    /** Whether it saves a question at its turn: one in flight is asked about again, and so is one that wasn't asked about. */
    private static boolean isWorthKeeping(Attempted answer) {
        return !(answer.result() instanceof ClaimResult.InFlight)
                && (answer.asked() || !(answer.result() instanceof ClaimResult.StoreError));
    }

    /** Gives up whatever the store may have granted. Those that are renewed first, for these would never end. */
    private void giveBackAll(
            List<Delivery> deliveries, List<ClaimRequest> requests, List<Attempted> answers, Execution[] executions) {
        for (Execution execution : executions) {
            if (execution != null) {
                try {
                    execution.giveBack();
                } catch (Throwable ignored) { // its renewals have ended, and so must the others'
                    // Not suppressed by the first: the machine's OutOfMemoryError may be the same object, which is
                    // refused.
                }
            }
        }
        for (int i = 0; i < requests.size(); i++) {
            if (executions[i] == null) {
                decider.giveBackUnanswered(
                        answers.isEmpty() ? Attempted.unknown(deliveries.get(i), requests.get(i)) : answers.get(i));
            }
        }
    }

    /** Decides about a delivery whose turn it is. Takes no round trip unless the store's answer has become worthless. */
    public Admission admit(ClaimAhead claim, WaitBudget budget) {
        Execution execution = claim.execution();
        if (closed.getAsBoolean()) {
            giveBack(List.of(claim));
            return decider.closed(claim.delivery());
        }
        if (execution != null
                && (execution.leaseLost() || execution.isClosed())) { // while it waited; nothing has begun
            execution.giveBack();
            return ask(claim.delivery(), claimer.request(claim.delivery(), claim.key()), budget);
        }
        if (claim.attempted().isUndecided()) { // by the same owner, which so recognises what its lost answer has left
            Attempted again =
                    claimer.claimPatiently(claim.delivery(), claim.attempted().request(), budget);
            return decider.decide(again.orUnanswered(claim.attempted()));
        }
        return decider.decide(claim.attempted(), execution);
    }

    private Admission ask(Delivery delivery, ClaimRequest request, WaitBudget budget) {
        return decider.decide(claimer.claimPatiently(delivery, request, budget));
    }

    /**
     * Gives up claims whose deliveries have not begun, with one call; their attempts don't count.
     *
     * @param claims may contain nulls, as the answers of {@link #claim} do
     */
    public void giveBack(Collection<? extends @Nullable ClaimAhead> claims) {
        List<Execution> executions = new ArrayList<>(claims.size());
        for (ClaimAhead claim : claims) {
            if (claim == null) {
                continue;
            }
            Execution execution = claim.execution();
            if (execution != null) {
                executions.add(execution);
            } else if (claim.isUnanswered()) {
                decider.giveBackUnanswered(claim.attempted());
            }
        }
        boolean unused = closeOut.releaseAll(executions, null);
    }

    /** Tells the listeners of a copy of a message whose handler has succeeded, and whose completion is on its way. */
    public void follows(Delivery copy, Execution handled) {
        decider.duplicateOfHandled(copy, handled);
    }
}
