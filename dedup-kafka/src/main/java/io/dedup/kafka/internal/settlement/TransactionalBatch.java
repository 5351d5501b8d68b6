package io.dedup.kafka.internal.settlement;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.TransactionalRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One batch in one transaction, in every ack mode. The container acknowledges after the commit.
 *
 * <p>Where the handler fails on a record, the rollback takes the good ones before it along. These run again, alone, and
 * commit: the error handler commits their offsets.
 */
public final class TransactionalBatch<K, V> {
    private final BoundConsumer bound;
    private final BatchSteps<K, V> steps;
    private final DedupAdapter engine;
    private final @Nullable Acknowledgment container;
    private final BatchHandler<K, V> handler;

    public TransactionalBatch(BatchSteps<K, V> steps, @Nullable Acknowledgment container, BatchHandler<K, V> handler) {
        this.steps = steps;
        this.bound = steps.bound;
        this.engine = steps.engine;
        this.container = container;
        this.handler = handler;
    }

    public void run() {
        BatchAdmission batch = engine.admitAll(steps.deliveries, steps.claimBudget());
        if (batch.isolate()) {
            runSingly();
        } else {
            requireWhole(handle(BatchPlan.of(List.copyOf(batch.admissions()), Map.of())));
        }
        if (container != null && bound.commitsOffsets()) {
            container.acknowledge();
        }
    }

    private void requireWhole(BatchPlan done) {
        if (done.isCut()) {
            throw steps.cutAt(done.cut(), done.admissions().get(done.cut()));
        }
    }

    /** Handles what runs before the cut, in one transaction; returns the plan as the records have changed it. */
    private BatchPlan handle(BatchPlan plan) {
        plan.giveBackBehindCut(engine);
        if (plan.runs().isEmpty()) {
            return plan;
        }
        TransactionalRun run = engine.open(plan.executions(), true, steps.claimBudget());
        BatchPlan decided = plan.decided(run.admissions());
        if (decided.runs().isEmpty()) {
            return decided;
        }
        HandedBatch<K, V> handed = steps.hand(decided.runs());
        RunEnd end = failure(run, handed);
        if (end == null) {
            end = run.succeeded(null);
        }
        if (!(end instanceof RunEnd.Handled)) {
            throw undone(decided, handed, end);
        }
        return decided;
    }

    /** Calls the handler; null when it has succeeded. */
    private @Nullable RunEnd failure(TransactionalRun run, HandedBatch<K, V> handed) {
        try {
            run.executions().forEach(Execution::begin);
            call(handed);
            return null;
        } catch (Throwable e) { // Errors, too: nobody else would end the transaction
            return run.failed(e);
        }
    }

    private void call(HandedBatch<K, V> handed) {
        TransactionAcknowledgment ack = container == null ? null : new TransactionAcknowledgment(container, handed);
        handler.handle(handed.list(), ack);
        if (ack != null) {
            ack.handlerReturned(bound.commitsOffsets());
        }
    }

    /** What the container is told when everything that the plan runs was rolled back. */
    private RuntimeException undone(BatchPlan plan, HandedBatch<K, V> handed, RunEnd end) {
        int first = plan.runs().get(0);
        if (!(end instanceof RunEnd.Failed failed)) {
            return steps.cutAt(first, ((RunEnd.NotRun) end).admission());
        }
        Throwable cause = failed.cause();
        if (cause instanceof NotAcknowledgedException open) {
            return notAcknowledged(plan, open);
        }
        BatchFailure failure = BatchFailure.of(cause, handed);
        if (failure.failed() > 0 && !(cause instanceof Error)) {
            commitBefore(plan, failure.failed());
        }
        return steps.failed(plan, failure, handed, false);
    }

    private RuntimeException notAcknowledged(BatchPlan plan, NotAcknowledgedException open) {
        if (open.position() > 0) {
            commitBefore(plan, open.position());
        }
        return steps.comesAgain(plan.runs().get(open.position()), open);
    }

    /** Runs the good records before a position again. Throws what ends the batch earlier, if anything does. */
    private void commitBefore(BatchPlan plan, int position) {
        List<Integer> indexes = plan.runs().subList(0, position);
        List<Delivery> deliveries = indexes.stream().map(steps.deliveries::get).toList();
        BatchAdmission again = engine.admitAll(deliveries, WaitBudget.none());
        if (again.isolate()) { // nothing is known to be good: all of it comes again
            throw steps.deferral(
                    indexes.get(0),
                    indexes.get(0),
                    DeferReason.ROLLED_BACK,
                    steps.maxDeferDelay(indexes.get(0)),
                    false,
                    null);
        }
        requireWhole(handle(BatchPlan.of(BatchPlan.spread(again.admissions(), indexes, steps.size()), Map.of())));
    }

    private void runSingly() {
        for (int i = 0; i < steps.size(); i++) {
            Admission admission = engine.admit(steps.deliveries.get(i), steps.budget);
            if (admission instanceof Admission.Run run) {
                admission = runAlone(i, run.execution());
            }
            if (admission instanceof Admission.Defer || admission instanceof Admission.Reject) {
                throw steps.cutAt(i, admission);
            }
        }
    }

    /** Returns what its record has decided instead of a run; null when it ran. */
    private @Nullable Admission runAlone(int index, Execution execution) {
        HandedBatch<K, V> handed = steps.hand(List.of(index));
        RunEnd end = engine.run(
                execution,
                context -> {
                    call(handed);
                    return null;
                },
                steps.budget);
        if (end instanceof RunEnd.Failed failed) {
            throw failed.cause() instanceof NotAcknowledgedException open
                    ? steps.comesAgain(index, open)
                    : steps.failedAlone(index, failed.cause());
        }
        return end instanceof RunEnd.NotRun notRun ? notRun.admission() : null;
    }
}
