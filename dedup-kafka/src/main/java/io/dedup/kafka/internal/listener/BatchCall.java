package io.dedup.kafka.internal.listener;

import static java.util.Objects.requireNonNull;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.adapter.TransactionalRun;
import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.deferral.TransactionFailures;
import io.dedup.kafka.internal.settlement.HandedBatch;
import io.dedup.kafka.internal.settlement.HandlerFailedException;
import io.dedup.kafka.internal.settlement.ListenerCall;
import io.dedup.kafka.internal.settlement.ListenerRun;
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
    private final boolean alone;
    private BatchPlan plan;
    private List<Execution> executions;
    private @Nullable HandedBatch<K, V> handed;
    private @Nullable BatchFailure failure;
    private @Nullable GivenRecords given;
    private @Nullable Admission instead;

    private BatchCall(Calls<K, V> calls, BatchPlan plan, List<Execution> executions, boolean alone) {
        super(calls.batch().bound, calls.container());
        this.batch = calls.batch();
        this.handler = calls.handler();
        this.plan = plan;
        this.executions = executions;
        this.alone = alone;
        AcknowledgedBatch all = calls.acknowledged();
        if (all != null) {
            this.given = alone
                    ? all.acknowledgmentOfOne(handed(), plan.runs().get(0))
                    : all.acknowledgment(handed(), plan.cut() - 1);
        }
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
    protected void callListener(@Nullable Acknowledgment acknowledgment) {
        handler.handle(handed().list(), acknowledgment);
    }

    @Override
    public List<ConsumerRecord<K, V>> records() {
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
        return new HandlerFailedException(thrown, leaseLost);
    }

    /** The exception for the container when the transaction of these records has failed, and not its handler. */
    RuntimeException notCommitted(RuntimeException cause) {
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
    protected GivenRecords give() {
        return requireNonNull(given);
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

    /** A call, and the run that will settle it. */
    record Prepared<K, V>(BatchCall<K, V> call, ListenerRun run) {}

    /**
     * Prepares the calls for one poll. If that fails, their claims are released: otherwise they would be renewed for
     * maxProcessingTime.
     */
    record Calls<K, V>(
            SettlementKind<ListenerCall> kind,
            PolledBatch<K, V> batch,
            @Nullable Acknowledgment container,
            Handler<K, V> handler,
            @Nullable AcknowledgedBatch acknowledged) {

        Prepared<K, V> of(BatchPlan plan) {
            return of(plan, plan.executions(), false);
        }

        Prepared<K, V> alone(int index, Execution execution) {
            return of(BatchPlan.alone(index), List.of(execution), true);
        }

        private Prepared<K, V> of(BatchPlan plan, List<Execution> executions, boolean alone) {
            try {
                BatchCall<K, V> call = new BatchCall<>(this, plan, executions, alone);
                return new Prepared<>(call, kind.of(call));
            } catch (Throwable e) {
                batch.engine.failAll(executions, null);
                throw e;
            }
        }
    }
}
