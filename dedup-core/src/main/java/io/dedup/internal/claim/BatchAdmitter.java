package io.dedup.internal.claim;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.internal.settle.ClaimSettlement;
import io.dedup.policy.DedupMode;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.ClaimResult.Acquired;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides about one batch: claims its messages with one call, each ID once.
 *
 * <p>If one of the claims took over a dead one, all are given back before anything runs, and the caller admits the
 * messages one by one. A message that crashes its process would otherwise take all messages of its batch down with it,
 * and since a death is counted only for a claim that was made alone, nobody would ever learn which of them it was.
 *
 * <p>Nothing but this class knows of the claims until the caller has all admissions. Whatever is thrown gives each of
 * them back on its own, so that a release that fails doesn't leave the others renewed.
 */
final class BatchAdmitter {
    private final Claimer claimer;
    private final AdmissionDecider decider;
    private final BatchCopies copies;
    private final ClaimSettlement settlement;
    private final List<Delivery> deliveries;
    /** The index of the first delivery of each key. */
    private final Map<DedupKey, Integer> leaders;

    private final UniqueRequests unique;
    private final Map<DedupKey, ClaimAttempt> attempted = new HashMap<>();
    private final Map<DedupKey, AdmittedRun> executions = new HashMap<>();
    private final List<Admission> admissions;

    BatchAdmitter(
            Claimer claimer,
            AdmissionDecider decider,
            BatchCopies copies,
            ClaimSettlement settlement,
            List<Delivery> deliveries) {
        this.claimer = claimer;
        this.decider = decider;
        this.copies = copies;
        this.settlement = settlement;
        this.deliveries = deliveries;
        this.admissions = new ArrayList<>(deliveries.size());
        this.unique = UniqueRequests.of(claimer, deliveries, delivery -> !isDecidedByRecord(delivery));
        this.leaders = unique.first();
    }

    public BatchAdmission admit(WaitBudget budget) {
        try {
            claimAll(budget);
            if (isolationNeeded()) {
                giveBackAll();
                return new BatchAdmission(List.of(), true);
            }
            decideAll();
            return new BatchAdmission(admissions, false);
        } catch (Throwable e) { // otherwise the claims would be renewed for maxProcessingTime
            giveBackEach();
            throw e;
        }
    }

    /** Releases the claims one by one: if one release throws, the renewals of the others must end as well. */
    private void giveBackEach() {
        for (Admission admission : admissions) {
            if (admission instanceof Admission.Run run) { // also the claim of a copy, which is not among the executions
                giveBack((AdmittedRun) run.execution());
            }
        }
        executions.values().forEach(BatchAdmitter::giveBack);
        giveBackUnanswered();
    }

    private static void giveBack(AdmittedRun execution) {
        try {
            execution.giveBack();
        } catch (Throwable ignored) { // its renewals have ended; the caller throws the first exception
        }
    }

    private void claimAll(WaitBudget budget) {
        List<ClaimAttempt> answers = claimer.claimAll(unique.deliveries(), unique.requests());
        answers.forEach(this::answered);
        if (answers.stream().anyMatch(ClaimAttempt::isUndecided) && !isolationNeeded()) {
            claimer.wait(answers, budget, this::answered);
            claimLostAgain();
        }
    }

    /** Claims again what has lost its lease while others of the batch waited; nothing has begun. */
    private void claimLostAgain() {
        List<Delivery> lost = new ArrayList<>(0);
        List<ClaimRequest> requests = new ArrayList<>(0);
        for (AdmittedRun execution : List.copyOf(executions.values())) {
            if (execution.mustNotBegin()) {
                execution.giveBack();
                ClaimRequest before = requireNonNull(execution.request());
                executions.remove(before.key());
                lost.add(execution.delivery());
                requests.add(claimer.request(execution.delivery(), before.key(), claimer.nextOwner()));
            }
        }
        if (!lost.isEmpty()) {
            claimer.claimAll(lost, requests).forEach(this::answered);
        }
    }

    /** Whether the record decides in the transaction, so that the store is not called before. */
    private static boolean isDecidedByRecord(Delivery delivery) {
        return delivery.topic().policy().mode() == DedupMode.TRANSACTIONAL;
    }

    /**
     * Starts renewing an acquired claim at once: its lease must not expire while other claims of the batch are still
     * open.
     */
    private void answered(ClaimAttempt answer) {
        DedupKey key = answer.request().key();
        attempted.put(key, answer);
        if (answer.result() instanceof Acquired acquired) {
            AdmittedRun execution = decider.execution(answer, acquired);
            executions.put(key, execution); // first, so that it is released if anything fails from here on
            decider.renew(execution);
        }
    }

    private boolean isolationNeeded() {
        return attempted.values().stream().anyMatch(ClaimAttempt::needsIsolation);
    }

    /** Releases everything, before any decision. */
    private void giveBackAll() {
        boolean unused = settlement.releaseAll(List.copyOf(executions.values()), null);
        giveBackUnanswered();
    }

    private void giveBackUnanswered() {
        for (ClaimAttempt each : attempted.values()) {
            // If the claim was made nevertheless, the end of its lease would count as a death of the message.
            boolean hasNoRun = each.result() instanceof Acquired
                    && !executions.containsKey(each.request().key());
            if (hasNoRun || each.result() instanceof ClaimResult.StoreError) {
                decider.giveBackUnanswered(each);
            }
        }
    }

    private void decideAll() {
        for (int i = 0; i < deliveries.size(); i++) {
            Delivery delivery = deliveries.get(i);
            DedupKey key = Claimer.keyOf(delivery);
            if (key == null) {
                admissions.add(decider.missingId(delivery));
                continue;
            }
            int leader = requireNonNull(leaders.get(key));
            if (leader != i) {
                admissions.add(copy(delivery, key, leader, admissions.get(leader)));
            } else if (isDecidedByRecord(delivery)) {
                admissions.add(decider.decidedByRecord(delivery));
            } else {
                admissions.add(decider.decide(requireNonNull(attempted.get(key)), executions.get(key)));
            }
        }
    }

    private Admission copy(Delivery delivery, DedupKey key, int leader, Admission leaderAdmission) {
        @Nullable Admission admission = copies.follow(delivery, deliveries.get(leader), leader, leaderAdmission);
        return admission != null
                ? admission
                : decider.decide(claimer.claim(delivery, claimer.request(delivery, key, claimer.nextOwner())));
    }
}
