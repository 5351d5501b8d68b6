package io.dedup.internal.claim;

import io.dedup.DedupKey;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.WaitBudget;
import io.dedup.internal.settle.ClaimSettlement;
import io.dedup.policy.DedupMode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Admits deliveries at their turn, one by one or as a batch.
 *
 * <p>Looks twice whether the engine has been closed: before the claim, and after the claim has joined the heartbeat. The
 * second look matters. {@code close} sets its flag and then waits for the claims of the heartbeat. A claim that joins
 * after that wait has begun would be missed by it, and its handler would run while the application closes. With the flag read
 * after joining, one of the two always sees the other, and such a claim is given back before its handler starts.
 * Thread-safe.
 */
public final class Admissions {
    private final Claimer claimer;
    private final AdmissionDecider decider;
    private final BatchCopies copies;
    private final ClaimSettlement settlement;
    private final BooleanSupplier closed;

    /**
     * Creates the admissions of an engine.
     *
     * @param closed whether the engine has been closed
     */
    public Admissions(
            Claimer claimer,
            AdmissionDecider decider,
            BatchCopies copies,
            ClaimSettlement settlement,
            BooleanSupplier closed) {
        this.claimer = claimer;
        this.decider = decider;
        this.copies = copies;
        this.settlement = settlement;
        this.closed = closed;
    }

    /** Decides about one delivery. */
    public Admission admit(Delivery delivery, WaitBudget budget) {
        if (closed.getAsBoolean()) {
            return decider.closed(delivery);
        }
        return unlessClosed(delivery, decide(delivery, budget));
    }

    boolean isClosed() {
        return closed.getAsBoolean();
    }

    /** The second look, at an admission whose claim has joined the heartbeat. */
    Admission unlessClosed(Delivery delivery, Admission admission) {
        // close() looks for claims after it has set the flag, and this looks at the flag after its claim has joined
        // the heartbeat: one of the two sees the other.
        return closed.getAsBoolean() ? tooLate(delivery, admission) : admission;
    }

    private Admission decide(Delivery delivery, WaitBudget budget) {
        DedupKey key = claimer.arrived(delivery);
        if (key == null) {
            return decider.missingId(delivery);
        }
        if (delivery.topic().policy().mode() == DedupMode.TRANSACTIONAL) {
            return decider.decidedByRecord(delivery);
        }
        return decider.decide(claimer.claimPatiently(delivery, claimer.request(delivery, key), budget));
    }

    /** Decides about a batch with one round trip for all of it; copies within the batch follow their first. */
    public BatchAdmission admitAll(List<Delivery> deliveries, WaitBudget budget) {
        if (closed.getAsBoolean()) {
            return new BatchAdmission(deliveries.stream().map(decider::closed).toList(), false);
        }
        BatchAdmission admission = new BatchAdmitter(claimer, decider, copies, settlement, deliveries).admit(budget);
        return closed.getAsBoolean() && !admission.isolate()
                ? new BatchAdmission(tooLate(deliveries, admission.admissions()), false)
                : admission;
    }

    private List<Admission> tooLate(List<Delivery> deliveries, List<Admission> admissions) {
        List<Admission> instead = new ArrayList<>(admissions.size());
        for (int i = 0; i < admissions.size(); i++) {
            instead.add(tooLate(deliveries.get(i), admissions.get(i)));
        }
        return instead;
    }

    /** Revokes the permission to run, except in shadow mode. */
    private Admission tooLate(Delivery delivery, Admission admission) {
        boolean runs = admission instanceof Admission.Run || admission instanceof Admission.Follow;
        if (!runs || delivery.isShadow()) {
            return admission;
        }
        if (admission instanceof Admission.Run run) {
            run.execution().giveBack();
        }
        return decider.closed(delivery);
    }
}
