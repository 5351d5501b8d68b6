package io.dedup.internal.claim;

import io.dedup.adapter.Admission;
import io.dedup.adapter.ClaimAhead;
import io.dedup.adapter.ClaimsAhead;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.settle.ClaimSettlement;
import io.dedup.policy.DedupMode;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import io.dedup.store.ClaimResult.StoreError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Claims deliveries before their turn, with one call.
 *
 * <p>Such a claim is made with others and waits, so its owner isn't one that is alone: if the process crashes, the message
 * is charged with no death, because its handler has most probably not begun. For the same reason nothing is claimed ahead
 * that may have crashed a process before: then all claims are given back, and each message is claimed at its turn.
 * Whatever is thrown releases every claim that the store may have granted, also those whose answer was lost. Thread-safe.
 */
public final class AheadClaimer implements ClaimsAhead {
    private final Claimer claimer;
    private final AdmissionDecider decider;
    private final ClaimSettlement settlement;
    private final Admissions admissions;

    /**
     * Creates the claimer of an engine.
     *
     * @param admissions of the same engine, which know whether it has been closed
     */
    public AheadClaimer(Claimer claimer, AdmissionDecider decider, ClaimSettlement settlement, Admissions admissions) {
        this.claimer = claimer;
        this.decider = decider;
        this.settlement = settlement;
        this.admissions = admissions;
    }

    @Override
    public List<@Nullable ClaimAhead> claim(List<Delivery> deliveries) {
        @Nullable ClaimAhead[] claims = new ClaimAhead[deliveries.size()];
        UniqueRequests unique = UniqueRequests.of(claimer, deliveries, AheadClaimer::isClaimable);
        List<ClaimRequest> requests = unique.requests();
        if (requests.isEmpty() || admissions.isClosed()) {
            return Collections.unmodifiableList(Arrays.asList(claims));
        }
        // Before the first claim is renewed: an Error must not leave claims, which are renewed for maxProcessingTime.
        AdmittedRun[] executions = new AdmittedRun[requests.size()];
        SharedFailure failure = new SharedFailure();
        List<ClaimAttempt> answers = List.of();
        try {
            answers = claimer.claimAll(unique.deliveries(), requests);
            boolean isolate = false;
            for (int i = 0; i < answers.size(); i++) {
                ClaimAttempt answer = answers.get(i);
                isolate |= answer.needsIsolation();
                if (isWorthKeeping(answer)) {
                    if (answer.result() instanceof Acquired acquired) {
                        executions[i] = decider.execution(answer, acquired);
                        decider.renew(executions[i]);
                    }
                    claims[unique.indexes().get(i)] = new AnsweredClaim(answer, executions[i], failure);
                }
            }
            if (isolate || admissions.isClosed()) {
                giveBack(Arrays.asList(claims));
                return Collections.nCopies(deliveries.size(), null);
            }
            return Collections.unmodifiableList(Arrays.asList(claims));
        } catch (Throwable e) {
            giveBackAll(unique.deliveries(), requests, answers, executions);
            throw e;
        }
    }

    private static boolean isClaimable(Delivery delivery) {
        return !delivery.isShadow() && delivery.topic().policy().mode() == DedupMode.LEASED;
    }

    /**
     * Whether the answer saves a call at the delivery's turn: a message in flight must be claimed again then, and so
     * must one that the store was not called for.
     */
    private static boolean isWorthKeeping(ClaimAttempt answer) {
        return !(answer.result() instanceof ClaimResult.InFlight)
                && (answer.asked() || !(answer.result() instanceof ClaimResult.StoreError));
    }

    /**
     * Releases every claim that the store may have granted. Starts with the renewed ones, which would otherwise be
     * in flight for maxProcessingTime and a lease.
     */
    private void giveBackAll(
            List<Delivery> deliveries,
            List<ClaimRequest> requests,
            List<ClaimAttempt> answers,
            AdmittedRun[] executions) {
        for (AdmittedRun execution : executions) {
            if (execution != null) {
                try {
                    execution.giveBack();
                } catch (Throwable ignored) { // the renewals of this one have ended; those of the others must end too
                    // Not suppressed by the first: the machine's OutOfMemoryError may be the same object, which is
                    // refused.
                }
            }
        }
        for (int i = 0; i < requests.size(); i++) {
            if (executions[i] == null) {
                decider.giveBackUnanswered(
                        answers.isEmpty() ? ClaimAttempt.unknown(deliveries.get(i), requests.get(i)) : answers.get(i));
            }
        }
    }

    @Override
    public Admission admit(ClaimAhead ahead, WaitBudget budget) {
        AnsweredClaim claim = (AnsweredClaim) ahead;
        if (admissions.isClosed()) {
            giveBack(List.of(claim));
            return decider.closed(claim.delivery());
        }
        // What is claimed again here joins the heartbeat later than what close() may have waited for.
        return admissions.unlessClosed(claim.delivery(), decide(claim, budget));
    }

    private Admission decide(AnsweredClaim claim, WaitBudget budget) {
        AdmittedRun execution = claim.execution();
        if (execution != null && execution.mustNotBegin()) { // any more, since it waited
            return lost(claim, execution, budget);
        }
        if (claim.attempted().isUndecided()) {
            return undecided(claim, budget);
        }
        return decider.decide(claim.attempted(), execution);
    }

    private Admission lost(AnsweredClaim claim, AdmittedRun execution, WaitBudget budget) {
        ClaimRequest request = claimer.request(claim.delivery(), claim.key());
        StoreError known = claim.failure().insteadOf(claim.attempted());
        if (known != null) {
            execution.abandon();
            decider.giveBackUnanswered(claim.attempted()); // in the background
            return decider.decide(ClaimAttempt.unasked(claim.delivery(), request, known));
        }
        execution.giveBack();
        return decider.decide(claim.failure().noted(claimer.claimPatiently(claim.delivery(), request, budget)));
    }

    private Admission undecided(AnsweredClaim claim, WaitBudget budget) {
        ClaimAttempt attempted = claim.attempted();
        if (claim.failure().insteadOf(attempted) != null) {
            return decider.decide(attempted);
        }
        // with the same owner, to recognize a claim whose answer was lost
        ClaimAttempt again =
                claim.failure().noted(claimer.claimPatiently(claim.delivery(), attempted.request(), budget));
        return decider.decide(claimer.orUnanswered(again, attempted));
    }

    @Override
    public void giveBack(Collection<? extends @Nullable ClaimAhead> claims) {
        List<AdmittedRun> executions = new ArrayList<>(claims.size());
        for (ClaimAhead ahead : claims) {
            if (!(ahead instanceof AnsweredClaim claim)) {
                continue;
            }
            AdmittedRun execution = claim.execution();
            if (execution != null) {
                executions.add(execution);
            } else if (claim.isUnanswered()) {
                decider.giveBackUnanswered(claim.attempted());
            }
        }
        boolean unused = settlement.releaseAll(executions, null);
    }

    @Override
    public void follows(Delivery copy, Execution handled) {
        decider.duplicateOfHandled(copy, (AdmittedRun) handled);
    }
}
