package io.dedup.kafka.internal.listener;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.TransactionalRun;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.deferral.TransactionFailures;
import io.dedup.kafka.internal.settlement.HandedBatch;
import io.dedup.kafka.internal.settlement.ListenerCall;
import io.dedup.kafka.internal.settlement.SettlementKind;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** A call of a batch listener, with those records of a poll that its plan runs, or with a single one of them. */
final class BatchCall<K, V> extends ListenerCall {
    /** Calls the user's listener through the method that it implements. */
    @FunctionalInterface
    interface Handler<K, V> {
        void handle(List<ConsumerRecord<K, V>> part, @Nullable Acknowledgment acknowledgment);
    }

    private final PolledBatch<K, V> batch;
    private final Handler<K, V> handler;
    private final @Nullable AcknowledgedBatch acknowledged;
    private final boolean alone;
    private BatchPlan plan;
    private List<Execution> executions;
    private @Nullable HandedBatch<K, V> handed;
    private @Nullable BatchFailure failure;
    private @Nullable TrackedBatchAcknowledgment tracked;
    private @Nullable Admission instead;

    private BatchCall(Calls<K, V> calls, BatchPlan plan, List<Execution> executions, boolean alone) {
        super(calls.kind(), calls.batch().bound, calls.container());
        this.batch = calls.batch();
        this.handler = calls.handler();
        this.acknowledged = calls.acknowledged();
        this.plan = plan;
        this.executions = executions;
        this.alone = alone;
    }

    /** The plan, as changed by the records of its transaction. */
    BatchPlan plan() {
        return plan;
    }

    /** What the record in its transaction has decided instead of a run of one record alone; null if it ran. */
    @Nullable
    Admission instead() {
        return instead;
    }

    @Override
    protected boolean runHandler() {
        return HandlerRun.runAll(executions, this, this);
    }

    @Override
    protected void invoke(@Nullable Acknowledgment acknowledgment) {
        handler.handle(handed().list(), acknowledgment);
    }

    @Override
    protected int size() {
        return executions.size();
    }

    @Override
    protected List<ConsumerRecord<K, V>> records() {
        return plan.runs().stream().map(batch.records::get).toList();
    }

    @Override
    protected List<Execution> executions() {
        return executions;
    }

    @Override
    protected HandedBatch<K, V> handed() {
        HandedBatch<K, V> known = handed;
        if (known == null) {
            known = batch.hand(plan.runs());
            handed = known;
        }
        return known;
    }

    /** A failure, interpreted through the list that the handler was given. */
    BatchFailure read(Throwable thrown) {
        BatchFailure known = failure;
        if (known == null) {
            known = BatchFailure.of(thrown, handed());
            failure = known;
        }
        return known;
    }

    @Override
    protected int provenBy(Throwable thrown) {
        return Math.max(0, read(thrown).failed());
    }

    /** Decided when its transaction has ended. */
    @Override
    protected RuntimeException failure(Throwable thrown, boolean leaseLost) {
        return new HandlerFailed(thrown, leaseLost);
    }

    @Override
    protected RuntimeException notCommitted(RuntimeException cause) {
        int first = plan.runs().isEmpty() ? 0 : plan.runs().get(0);
        return TransactionFailures.isOfNoRecord(cause)
                ? batch.deferral(first, first, DeferReason.ROLLED_BACK, batch.maxDeferDelay(first), false, cause)
                : batch.failedAlone(first, cause);
    }

    @Override
    protected void complete(List<Execution> done) {
        batch.engine.succeedAll(done, batch.budget); // whatever the answers, the effects have happened
    }

    /** Its plan has added the records already. */
    @Override
    protected void give(boolean single) {}

    @Override
    protected List<PendingDelivery> given() {
        return requireNonNull(acknowledged).given(plan.runs());
    }

    @Override
    protected Acknowledgment acknowledgment() {
        AcknowledgedBatch all = requireNonNull(acknowledged);
        TrackedBatchAcknowledgment made = alone
                ? all.acknowledgmentOfOne(handed(), plan.runs().get(0))
                : all.acknowledgment(handed(), plan.cut() - 1);
        tracked = made;
        return made;
    }

    @Override
    protected void acknowledge() {
        requireNonNull(acknowledged).acknowledge(handed().indexes(), null);
    }

    @Override
    protected void handlerReturned() {
        if (tracked != null) {
            tracked.handlerReturned();
        }
    }

    @Override
    protected @Nullable TransactionalRun open() {
        TransactionalRun run = batch.engine.open(executions, true, alone ? batch.budget : batch.claimBudget());
        if (alone) {
            Admission admission = run.admissions().get(0);
            instead = admission instanceof Admission.Run ? null : admission;
        } else {
            plan = plan.decided(run.admissions());
        }
        executions = run.executions();
        return executions.isEmpty() ? null : run;
    }

    @Override
    protected void undone(Admission undoneBy) {
        if (!alone) {
            throw batch.cutAt(plan.runs().get(0), undoneBy);
        }
        instead = undoneBy;
    }

    /** Creates the calls for one poll. */
    record Calls<K, V>(
            SettlementKind kind,
            PolledBatch<K, V> batch,
            @Nullable Acknowledgment container,
            Handler<K, V> handler,
            @Nullable AcknowledgedBatch acknowledged) {

        BatchCall<K, V> of(BatchPlan plan) {
            return new BatchCall<>(this, plan, plan.executions(), false);
        }

        BatchCall<K, V> alone(int index, Execution execution) {
            return new BatchCall<>(this, BatchPlan.alone(index), List.of(execution), true);
        }
    }
}
