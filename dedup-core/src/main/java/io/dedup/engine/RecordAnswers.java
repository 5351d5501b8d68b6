package io.dedup.engine;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.internal.SafeListeners;
import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Turns what the records say within a transaction into what happens to the runs. */
final class RecordAnswers {
    private final SafeListeners<DedupListener> notifier;
    private final Decider decider;
    private final Front front;

    RecordAnswers(SafeListeners<DedupListener> notifier, Decider decider, Front front) {
        this.notifier = notifier;
        this.decider = decider;
        this.front = front;
    }

    /** What the records say, in one call; null for runs without one. */
    static List<@Nullable RecordResult> ask(OpenTransaction transaction, List<Execution> executions) {
        List<RecordRequest> requests = new ArrayList<>(executions.size());
        for (Execution execution : executions) {
            if (execution.hasRecord()) {
                requests.add(new RecordRequest(
                        requireNonNull(execution.key()),
                        execution.topic().policy().window(),
                        execution.delivery().fingerprint()));
            }
        }
        List<RecordResult> answers = requests.isEmpty() ? List.of() : transaction.claimAll(requests);
        List<@Nullable RecordResult> results = new ArrayList<>(executions.size());
        int next = 0;
        for (Execution execution : executions) {
            results.add(execution.hasRecord() ? answers.get(next++) : null);
        }
        return results;
    }

    /** What becomes of each run; takes back what must not commit. */
    List<Admission> decide(
            OpenTransaction transaction,
            List<Execution> executions,
            List<@Nullable RecordResult> results,
            boolean ordered) {
        List<Admission> admissions = new ArrayList<>(executions.size());
        boolean cut = false;
        List<DedupKey> toRemove = new ArrayList<>();
        for (int i = 0; i < executions.size(); i++) {
            Execution execution = executions.get(i);
            RecordResult result = i < results.size() ? results.get(i) : null;
            if (cut || i >= results.size()) {
                if (result instanceof RecordResult.Written) {
                    toRemove.add(requireNonNull(execution.key()));
                }
                admissions.add(behindTheCut(execution));
                continue;
            }
            Admission admission = decide(execution, result);
            admissions.add(admission);
            cut = ordered && (admission instanceof Admission.Defer || admission instanceof Admission.Reject);
        }
        if (!toRemove.isEmpty() && admissions.stream().anyMatch(Admission.Run.class::isInstance)) {
            transaction.removeAll(toRemove); // no record commits without its effect
        }
        return admissions;
    }

    private static Admission behindTheCut(Execution execution) {
        execution.giveBack();
        return new Admission.Defer(DeferReason.IN_FLIGHT, Decider.MIN_DEFER_DELAY, false, null);
    }

    private Admission decide(Execution execution, @Nullable RecordResult result) {
        Delivery delivery = execution.delivery();
        if (result instanceof RecordResult.Written written) {
            execution.recordWritten(written.fencingToken());
            notifier.tell(listener -> listener.acquired(requireNonNull(execution.key()), execution.attempt()));
            return new Admission.Run(execution);
        }
        if (result instanceof RecordResult.Done done) {
            front.repair(execution, done.left(), done.record().result());
            return decider.duplicate(requireNonNull(execution.key()), done.record());
        }
        if (result instanceof RecordResult.InFlight inFlight) {
            execution.giveBack();
            return decider.defer(delivery, DeferReason.IN_FLIGHT, inFlight.remaining(), null);
        }
        if (result instanceof RecordResult.Conflict) {
            execution.giveBack();
            return decider.conflict(delivery, requireNonNull(execution.key()));
        }
        return new Admission.Run(execution); // claimed outside, or unguarded by policy
    }
}
