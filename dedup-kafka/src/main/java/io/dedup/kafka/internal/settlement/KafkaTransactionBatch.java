package io.dedup.kafka.internal.settlement;

import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.BatchAdmission;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.WorkMayGoOn;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.deferral.TransactionFailures;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One batch in the container's Kafka transaction, in every ack mode.
 *
 * <p>The container's transaction commits the offsets of the whole poll or nothing. Where only a part of the poll can be
 * committed, that part gets a transaction of its own, with its offsets, and the container's is rolled back.
 */
public final class KafkaTransactionBatch<K, V> {
    private final KafkaTransactions transactions;
    private final BoundConsumer bound;
    private final BatchSteps<K, V> steps;
    private final DedupAdapter engine;
    private final @Nullable Acknowledgment container;
    private final Consumer<?, ?> consumer;
    private final BatchHandler<K, V> handler;

    public KafkaTransactionBatch(
            BatchSteps<K, V> steps,
            KafkaTransactions transactions,
            @Nullable Acknowledgment container,
            Consumer<?, ?> consumer,
            BatchHandler<K, V> handler) {
        this.steps = steps;
        this.bound = steps.bound;
        this.engine = steps.engine;
        this.transactions = transactions;
        this.container = container;
        this.consumer = consumer;
        this.handler = handler;
    }

    public void run() {
        bound.transaction().begin(steps.records);
        transactions.requireResolved(bound, steps.records);
        BatchAdmission batch = engine.admitAll(steps.deliveries, steps.claimBudget());
        if (batch.isolate()) {
            steps.singly(this::runAlone);
        } else {
            BatchPlan plan = BatchPlan.of(List.copyOf(batch.admissions()), Map.of());
            if (plan.isCut()) {
                handleApart(plan, plan.cut());
            } else {
                handleHere(plan);
            }
        }
        if (container != null) {
            container.acknowledge();
        }
    }

    /** Handles all of the poll in the container's transaction. */
    private void handleHere(BatchPlan plan) {
        try {
            handle(plan.runs(), plan.executions());
        } catch (HandlerFailed e) {
            throw undone(plan, e);
        }
    }

    /** Handles what the plan runs in a transaction with the offsets of what is before an index; then comes its cut. */
    private void handleApart(BatchPlan plan, int end) {
        plan.giveBackBehindCut(engine);
        if (end > 0) {
            try {
                inTransaction(end, plan.runs(), plan.executions());
            } catch (HandlerFailed e) {
                throw undone(plan, e);
            } catch (DeliveryDeferredException e) {
                throw e;
            } catch (RuntimeException e) {
                throw notCommitted(plan.runs().isEmpty() ? 0 : plan.runs().get(0), e);
            }
        }
        if (plan.isCut()) {
            throw steps.cutAt(plan.cut(), plan.admissions().get(plan.cut()));
        }
    }

    /**
     * Handles these records of the poll in a transaction of their own, which commits the offsets before an index. What was
     * claimed for a transaction that can't begin is given back: nobody else would, and it would be in flight from then on.
     */
    private void inTransaction(int end, List<Integer> indexes, List<Execution> executions) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            transactions.runApart(bound, steps.records.subList(0, end), consumer, () -> {
                begun.set(true);
                handle(indexes, executions);
            });
        } finally {
            if (!begun.get() && !executions.isEmpty()) {
                engine.failAll(executions, null);
            }
        }
    }

    /** Calls the handler with these records of the poll, in the transaction that is open. */
    private void handle(List<Integer> indexes, List<Execution> executions) {
        if (indexes.isEmpty()) {
            return;
        }
        HandedBatch<K, V> handed = steps.hand(indexes);
        executions.forEach(Execution::begin);
        try {
            TransactionAcknowledgment ack = container == null ? null : new TransactionAcknowledgment(container, handed);
            handler.handle(handed.list(), ack);
            if (ack != null) {
                ack.handlerReturned(true);
            }
        } catch (Throwable e) { // Errors, too: claims that nobody releases hold their messages for a lease
            throw new HandlerFailed(handed, e, WorkMayGoOn.fail(engine, executions, e));
        }
        bound.transaction()
                .handled(executions, indexes.stream().map(steps.records::get).toList());
    }

    /** What the container is told when what the plan runs is rolled back. */
    private RuntimeException undone(BatchPlan plan, HandlerFailed failed) {
        if (failed.thrown instanceof NotAcknowledgedException open) {
            if (open.position() > 0) {
                commitBefore(plan, open.position());
            }
            return steps.comesAgain(plan.runs().get(open.position()), open);
        }
        BatchFailure failure = BatchFailure.of(failed.thrown, failed.handed);
        if (failure.failed() > 0 && !(failed.thrown instanceof Error)) {
            commitBefore(plan, failure.failed());
        }
        return steps.failed(plan, failure, failed.handed, failed.leaseLost);
    }

    /** Runs the good records before a position again. Throws what ends the batch earlier, if anything does. */
    private void commitBefore(BatchPlan plan, int position) {
        List<Integer> indexes = plan.runs().subList(0, position);
        List<Delivery> deliveries = indexes.stream().map(steps.deliveries::get).toList();
        BatchAdmission again = engine.admitAll(deliveries, WaitBudget.none());
        int first = indexes.get(0);
        if (again.isolate()) { // nothing is known to be good: all of it comes again
            throw steps.deferral(first, first, DeferReason.ROLLED_BACK, steps.maxDeferDelay(first), false, null);
        }
        BatchPlan good = BatchPlan.of(BatchPlan.spread(again.admissions(), indexes, steps.size()), Map.of());
        handleApart(good, good.isCut() ? good.cut() : plan.runs().get(position));
    }

    /** The transaction of a part has failed, not its handler. */
    private RuntimeException notCommitted(int first, RuntimeException cause) {
        return TransactionFailures.isOfNoRecord(cause)
                ? steps.deferral(first, first, DeferReason.ROLLED_BACK, steps.maxDeferDelay(first), false, cause)
                : steps.failedAlone(first, cause);
    }

    private void runAlone(Execution execution, int index) {
        try {
            inTransaction(index + 1, List.of(index), List.of(execution));
        } catch (HandlerFailed e) {
            if (e.thrown instanceof NotAcknowledgedException open) {
                throw steps.comesAgain(index, open);
            }
            throw e.leaseLost && !(e.thrown instanceof Error)
                    ? steps.leaseLost(index, e.thrown)
                    : steps.failedAlone(index, e.thrown);
        } catch (DeliveryDeferredException e) {
            throw e;
        } catch (RuntimeException e) {
            throw notCommitted(index, e);
        }
    }

    /** Takes a handler's failure out of its transaction. */
    private static final class HandlerFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient HandedBatch<?, ?> handed;
        private final Throwable thrown;
        private final boolean leaseLost;

        HandlerFailed(HandedBatch<?, ?> handed, Throwable thrown, boolean leaseLost) {
            super(null, thrown, false, false);
            this.handed = handed;
            this.thrown = thrown;
            this.leaseLost = leaseLost;
        }
    }
}
