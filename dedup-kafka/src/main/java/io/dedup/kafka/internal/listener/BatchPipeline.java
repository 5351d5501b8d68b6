package io.dedup.kafka.internal.listener;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.ack.UnfinishedLimit;
import io.dedup.kafka.internal.listener.BatchCall.Prepared;
import io.dedup.kafka.internal.settlement.HandlerFailedException;
import io.dedup.kafka.internal.settlement.ListenerCall;
import io.dedup.kafka.internal.settlement.NotAcknowledgedException;
import io.dedup.kafka.internal.settlement.NotCommittedException;
import io.dedup.kafka.internal.settlement.SettlementKind;
import io.dedup.kafka.internal.settlement.SettlementKind.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * Handles one batch: claims it with one call, plans what runs and where the batch is cut, runs the part before the cut
 * and settles that run, and acknowledges. If one of its records may have crashed its process, the records are handled
 * one by one.
 *
 * <p>If a failure proves runs successful but rolls them back too, these runs are repeated without the failed record and
 * committed: the error handler commits their offsets.
 */
final class BatchPipeline<K, V> {
    private final SettlementKind<ListenerCall> kind;
    private final PolledBatch<K, V> batch;
    private final DedupAdapter engine;
    private final @Nullable Acknowledgment container;
    private final @Nullable Consumer<?, ?> consumer;
    private final @Nullable AcknowledgedBatch acknowledged;
    private final BatchCall.Calls<K, V> calls;

    BatchPipeline(
            SettlementKind<ListenerCall> kind,
            PolledBatch<K, V> batch,
            @Nullable Acknowledgment container,
            @Nullable Consumer<?, ?> consumer,
            BatchCall.Handler<K, V> handler) {
        this.kind = kind;
        this.batch = batch;
        this.engine = batch.engine;
        this.container = container;
        this.consumer = consumer;
        this.acknowledged = container != null && kind.transaction() == Transaction.NONE
                ? new AcknowledgedBatch(batch, container)
                : null;
        this.calls = new BatchCall.Calls<>(kind, batch, container, handler, acknowledged);
    }

    /** Returns when the batch is done, or finishes with its acknowledgments. */
    void run() {
        kind.called(batch.records, batch.bound);
        if (acknowledged != null) {
            runUntilAcknowledged(acknowledged);
            return;
        }
        BatchAdmission admitted = engine.admitAll(batch.deliveries, batch.claimBudget());
        if (admitted.isolate()) {
            runSingly(null, batch.size());
        } else {
            requireWhole(handle(
                    planned(admitted, null, () -> BatchPlan.of(List.copyOf(admitted.admissions()), Map.of()))));
        }
        if (container != null && (kind.transaction() == Transaction.KAFKA || batch.bound.commitsOffsets())) {
            container.acknowledge();
        }
    }

    private void runUntilAcknowledged(AcknowledgedBatch acks) {
        Map<Integer, PendingDelivery> firsts = new HashMap<>();
        List<Delivery> toAdmit = new ArrayList<>();
        List<Integer> indexes = new ArrayList<>();
        int held = batch.firstBehindTooMany();
        for (int i = 0; i < held; i++) {
            PendingDelivery first = acks.firstOf(i);
            if (first == null) {
                toAdmit.add(batch.deliveries.get(i));
                indexes.add(i);
            } else {
                firsts.put(i, first);
            }
        }
        BatchAdmission admitted = engine.admitAll(toAdmit, batch.claimBudget());
        if (admitted.isolate()) {
            acks.enterSingly();
            runSingly(acks, held);
            if (!acks.isNacked()) {
                acks.request();
            }
            acks.end();
            return;
        }
        BatchPlan plan = planned(admitted, acks, () -> {
            List<@Nullable Admission> admissions = BatchPlan.spread(admitted.admissions(), indexes, batch.size());
            if (held < batch.size()) {
                admissions.set(held, UnfinishedLimit.deferral(batch.maxDeferDelay(held)));
            }
            return BatchPlan.of(admissions, firsts);
        });
        if (plan.runs().isEmpty()) {
            acks.request();
        } else {
            plan = handle(plan);
        }
        if (!acks.isNacked()) {
            requireWhole(plan);
        }
        acks.end();
    }

    /** If planning fails, everything is released: otherwise the claims would be renewed for maxProcessingTime. */
    private BatchPlan planned(BatchAdmission admitted, @Nullable AcknowledgedBatch acks, Supplier<BatchPlan> planning) {
        try {
            BatchPlan plan = planning.get();
            plan.giveBackBehindCut(engine);
            if (acks != null) {
                acks.enter(plan);
            }
            return plan;
        } catch (Throwable e) {
            engine.failAll(Admission.executions(admitted.admissions()), null);
            throw e;
        }
    }

    private void requireWhole(BatchPlan plan) {
        if (plan.isCut()) {
            throw batch.cutAt(plan.cut(), plan.admissions().get(plan.cut()));
        }
    }

    private BatchPlan handle(BatchPlan plan) {
        return handle(plan, plan.cut());
    }

    /**
     * Runs the plan.
     *
     * @param end the first record of the poll that must not be committed with them
     * @return the plan as the records of its transaction have changed it
     */
    private BatchPlan handle(BatchPlan plan, int end) {
        Prepared<K, V> prepared = calls.of(plan);
        BatchCall<K, V> call = prepared.call();
        try {
            if (end < batch.size() && end > 0) {
                runPart(prepared, end);
            } else if (!plan.runs().isEmpty()) {
                prepared.run().run();
            }
            return call.plan();
        } catch (HandlerFailedException e) {
            throw undone(call, e);
        }
    }

    /** @param end the first record of the poll that must not be committed with them */
    private void runPart(Prepared<K, V> prepared, int end) {
        try {
            kind.runPart(prepared.run(), batch.records.subList(0, end), consumer);
        } catch (NotCommittedException e) {
            throw prepared.call().notCommitted(e.failure());
        }
    }

    /**
     * Returns the exception for the container, after committing or completing the runs that the failure proves
     * successful.
     */
    private RuntimeException undone(BatchCall<K, V> call, HandlerFailedException failed) {
        BatchPlan plan = call.plan();
        if (failed.thrown() instanceof NotAcknowledgedException open) {
            if (kind.transaction().undoesAll()) {
                commitBefore(plan, open.position());
            }
            return batch.redelivered(plan.runs().get(open.position()), open);
        }
        BatchFailure failure = call.read(failed.thrown());
        if (!(failed.thrown() instanceof Error)) {
            if (kind.transaction().undoesAll()) {
                commitBefore(plan, failure.failed());
            }
            if (acknowledged != null && acknowledged.isNacked()) {
                return acknowledged.nacked(failed.thrown());
            }
        }
        return batch.failed(plan, failure, call.handed(), HandlerRun.isDeferral(failed.leaseLost(), failed.thrown()));
    }

    /** Repeats the successful runs before a position, if there are any. Throws if something ends the batch earlier. */
    private void commitBefore(BatchPlan plan, int position) {
        if (position <= 0) {
            return;
        }
        List<Integer> indexes = plan.runs().subList(0, position);
        BatchAdmission again =
                engine.admitAll(indexes.stream().map(batch.deliveries::get).toList(), WaitBudget.none());
        int first = indexes.get(0);
        if (again.isolate()) { // none is known to be successful: all are redelivered
            throw batch.deferral(first, first, DeferReason.ROLLED_BACK, batch.maxDeferDelay(first), false, null);
        }
        BatchPlan good = planned(
                again, null, () -> BatchPlan.of(BatchPlan.spread(again.admissions(), indexes, batch.size()), Map.of()));
        requireWhole(handle(good, good.isCut() ? good.cut() : plan.runs().get(position)));
    }

    /** Throws at the first record that isn't done, at the latest at the record that is held. */
    private void runSingly(@Nullable AcknowledgedBatch acks, int held) {
        for (int i = 0; i < batch.size() && (acks == null || !acks.isNacked()); i++) {
            if (i == held) {
                throw batch.cutAt(i, UnfinishedLimit.deferral(batch.maxDeferDelay(i)));
            }
            PendingDelivery first = acks == null ? null : acks.firstOf(i);
            Admission admission = first == null ? engine.admit(batch.deliveries.get(i), batch.budget) : null;
            Execution execution = admission instanceof Admission.Run run ? run.execution() : null;
            if (execution != null) {
                if (acks != null) {
                    acks.give(i, execution);
                }
                admission = runAlone(i, execution);
            }
            if (admission instanceof Admission.Defer || admission instanceof Admission.Reject) {
                throw batch.cutAt(i, admission);
            }
            if (acks != null && execution == null) {
                acks.enter(i, first);
            }
        }
    }

    /** Returns what the record in its transaction has decided instead of a run; null if it ran. */
    private @Nullable Admission runAlone(int index, Execution execution) {
        Prepared<K, V> prepared = calls.alone(index, execution);
        try {
            runPart(prepared, index + 1);
            return prepared.call().instead();
        } catch (HandlerFailedException e) {
            throw failedAlone(index, e);
        }
    }

    private RuntimeException failedAlone(int index, HandlerFailedException failed) {
        Throwable thrown = failed.thrown();
        if (thrown instanceof NotAcknowledgedException open) {
            return batch.redelivered(index, open);
        }
        if (acknowledged != null && acknowledged.isNacked() && !(thrown instanceof Error)) {
            return acknowledged.nacked(thrown);
        }
        return HandlerRun.isDeferral(failed.leaseLost(), thrown)
                ? batch.leaseLost(index, thrown)
                : batch.failedAlone(index, thrown);
    }
}
