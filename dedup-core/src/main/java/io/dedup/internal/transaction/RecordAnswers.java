package io.dedup.internal.transaction;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Delivery;
import io.dedup.internal.claim.AdmissionDecider;
import io.dedup.internal.claim.PoisonMessages;
import io.dedup.internal.listener.SafeListeners;
import io.dedup.internal.run.AdmittedRun;
import io.dedup.store.transaction.RecordRequest;
import io.dedup.store.transaction.RecordResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Decides about runs, from the records' answers within a transaction. */
final class RecordAnswers {
    private final SafeListeners<DedupListener> notifier;
    private final AdmissionDecider decider;
    private final PoisonMessages poison;
    private final FrontStore front;
    private final Consumer<List<AdmittedRun>> giveBack;

    /**
     * Creates the decisions of an engine.
     *
     * @param giveBack releases the claims of runs that do not begin, with one call
     */
    RecordAnswers(
            SafeListeners<DedupListener> notifier,
            AdmissionDecider decider,
            PoisonMessages poison,
            FrontStore front,
            Consumer<List<AdmittedRun>> giveBack) {
        this.notifier = notifier;
        this.decider = decider;
        this.poison = poison;
        this.front = front;
        this.giveBack = giveBack;
    }

    /** Writes or checks the records of the runs with one call; null for runs without a record. */
    public static List<@Nullable RecordResult> ask(OpenTransaction transaction, List<AdmittedRun> executions) {
        List<RecordRequest> requests = new ArrayList<>(executions.size());
        for (AdmittedRun execution : executions) {
            if (execution.hasRecord()) {
                requests.add(new RecordRequest(
                        keyOf(execution),
                        execution.topic().policy().window(),
                        execution.delivery().fingerprint()));
            }
        }
        List<RecordResult> answers = requests.isEmpty() ? List.of() : transaction.claimAll(requests);
        List<@Nullable RecordResult> results = new ArrayList<>(executions.size());
        int next = 0;
        for (AdmittedRun execution : executions) {
            results.add(execution.hasRecord() ? answers.get(next++) : null);
        }
        return results;
    }

    /**
     * Decides about each run. Only records of runs that begin remain in the transaction.
     *
     * @param results of the first runs; the records of later runs were not asked for
     * @param ordered whether no run may follow the first one that is deferred or rejected
     */
    public List<Admission> decide(
            OpenTransaction transaction,
            List<AdmittedRun> executions,
            List<@Nullable RecordResult> results,
            boolean ordered) {
        List<Admission> admissions = new ArrayList<>(executions.size());
        List<DedupKey> toRemove = new ArrayList<>(0);
        List<AdmittedRun> toGiveBack = new ArrayList<>(0);
        List<FrontStore.Done> repairs = new ArrayList<>(0);
        boolean cut = false;
        for (int i = 0; i < executions.size(); i++) {
            AdmittedRun execution = executions.get(i);
            RecordResult result = i < results.size() ? results.get(i) : null;
            Admission admission;
            if (cut || i >= results.size()) {
                if (result instanceof RecordResult.Written) {
                    toRemove.add(keyOf(execution));
                }
                admission = new Admission.Defer(DeferReason.IN_FLIGHT, AdmissionDecider.MIN_DEFER_DELAY, false, null)
                        .behind();
            } else {
                admission = decide(execution, result);
                if (admission instanceof Admission.Reject && result instanceof RecordResult.Written) {
                    toRemove.add(keyOf(execution));
                }
                cut = ordered && (admission instanceof Admission.Defer || admission instanceof Admission.Reject);
            }
            admissions.add(admission);
            if (result instanceof RecordResult.Done done && !cut && isAsDone(execution, done)) {
                repairs.add(new FrontStore.Done(
                        execution, transaction.rest(done.left()), done.record().result()));
            } else if (!(admission instanceof Admission.Run run) || run.execution() != execution) {
                toGiveBack.add(execution);
            }
        }
        giveBack.accept(toGiveBack);
        front.repair(repairs);
        if (!toRemove.isEmpty() && admissions.stream().anyMatch(Admission.Run.class::isInstance)) {
            transaction.removeAll(toRemove);
        }
        return admissions;
    }

    /**
     * Whether the front store, which keeps the fingerprint of the completed claim, would compare with that of the
     * database record. If not, it would take a different payload for the same one, or the same one for a different one.
     */
    private static boolean isAsDone(AdmittedRun execution, RecordResult.Done done) {
        return Objects.equals(execution.delivery().fingerprint(), done.fingerprint());
    }

    private Admission decide(AdmittedRun execution, @Nullable RecordResult result) {
        Delivery delivery = execution.delivery();
        if (result instanceof RecordResult.Written written) {
            if (PoisonMessages.isPoison(execution)) {
                return poison.convict(execution);
            }
            decider.begins(delivery);
            execution.recordWritten(written.fencingToken());
            notifier.report(listener -> listener.acquired(keyOf(execution), execution.attempt()));
            return new Admission.Run(execution);
        }
        if (result instanceof RecordResult.Done done) {
            return decider.duplicate(delivery, keyOf(execution), done.record());
        }
        if (result instanceof RecordResult.InFlight inFlight) {
            return decider.defer(delivery, DeferReason.IN_FLIGHT, inFlight.remaining(), null);
        }
        if (result instanceof RecordResult.Conflict) {
            return decider.conflict(delivery, keyOf(execution));
        }
        return new Admission.Run(execution); // claimed outside, or unguarded by policy
    }

    private static DedupKey keyOf(AdmittedRun execution) {
        return requireNonNull(execution.key(), "only what has an ID has a record");
    }
}
