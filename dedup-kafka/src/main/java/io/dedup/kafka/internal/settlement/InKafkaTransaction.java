package io.dedup.kafka.internal.settlement;

import static java.util.Objects.requireNonNull;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.failure.FailedWork;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * The commit of the container's Kafka transaction, which commits what the handler sends together with the offset, ends a
 * record, in every ack mode.
 *
 * <ol>
 *   <li>before anything is claimed: register the transaction's records; while it isn't known whether they were committed
 *       before, they are deferred
 *   <li>begin, handler, as in a database's transaction; replies are sent as it returns
 *   <li>success: the claim is held until the transaction has ended, then the container acks
 *   <li>commit ({@link DedupTransactionManager}): complete; rollback, or a lost lease: release
 *   <li>failure: release at once, before the rollback: what the handler has sent never becomes visible
 * </ol>
 */
final class InKafkaTransaction implements SettlementKind<ListenerCall> {
    private final DedupAdapter engine;
    private final KafkaTransactions transactions;

    InKafkaTransaction(DedupAdapter engine, KafkaTransactions transactions) {
        this.engine = engine;
        this.transactions = transactions;
    }

    @Override
    public Transaction transaction() {
        return Transaction.KAFKA;
    }

    @Override
    public void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {
        bound.transaction().begin(records, transactions.commitPolls() ? bound.outstanding() : null);
        transactions.requireResolved(bound, records);
    }

    @Override
    public ListenerRun of(ListenerCall call) {
        return new Run(call);
    }

    private final class Run extends ClaimedRun {
        Run(ListenerCall call) {
            super(call);
        }

        @Override
        public byte @Nullable [] call() {
            invokeWithinTransaction(true);
            call.deliverReply(); // it is sent: a failure, which spring-kafka ignores, rolls back
            return null;
        }

        @Override
        public Boolean succeeded(byte @Nullable [] result) {
            call.bound.transaction().handled(call.executions(), call.records());
            return true;
        }

        @Override
        public Boolean failed(Throwable thrown) {
            throw call.failure(thrown, FailedWork.release(engine, call.executions(), thrown));
        }
    }

    /**
     * Runs in a separate transaction, which commits the offsets of the part; the container's transaction is rolled
     * back.
     */
    @Override
    public void runPart(ListenerRun run, List<? extends ConsumerRecord<?, ?>> part, @Nullable Consumer<?, ?> consumer) {
        try {
            runApart(run, part, requireNonNull(consumer));
        } catch (HandlerFailedException | DeliveryDeferredException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new NotCommittedException(e);
        }
    }

    /**
     * If the transaction cannot begin, its claims are released: otherwise they would be renewed for maxProcessingTime,
     * and their messages would be in flight so long.
     */
    private void runApart(ListenerRun run, List<? extends ConsumerRecord<?, ?>> part, Consumer<?, ?> consumer) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            transactions.runApart(run.call.bound, part, consumer, () -> {
                begun.set(true);
                SettlementKind.super.runPart(run, part, consumer);
            });
        } finally {
            if (!begun.get() && !run.isEmpty()) {
                engine.failAll(run.call.executions(), null);
            }
        }
    }
}
