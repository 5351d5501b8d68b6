package io.dedup.kafka.internal.settlement;

import static java.util.Objects.requireNonNull;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.FailedWork;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

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
final class InKafkaTransaction extends SettlementKind {
    private final DedupAdapter engine;
    private final KafkaTransactions transactions;

    InKafkaTransaction(DedupAdapter engine, KafkaTransactions transactions) {
        this.engine = engine;
        this.transactions = transactions;
    }

    @Override
    public void called(ConsumerRecord<?, ?> record, BoundConsumer bound) {
        called(List.of(record), bound);
    }

    @Override
    public void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {
        bound.transaction().begin(records);
        transactions.requireResolved(bound, records);
    }

    /**
     * Runs in a separate transaction, which commits the offsets of the part; the container's transaction is rolled
     * back.
     */
    @Override
    public void runPart(
            ListenerCall call, List<? extends ConsumerRecord<?, ?>> part, @Nullable Consumer<?, ?> consumer) {
        try {
            runApart(call, part, requireNonNull(consumer));
        } catch (ListenerCall.HandlerFailed | DeliveryDeferredException e) {
            throw e;
        } catch (RuntimeException e) {
            throw call.notCommitted(e);
        }
    }

    /**
     * If the transaction can't begin, its claims are released: nothing else would release them, and their messages
     * would stay in flight.
     */
    private void runApart(ListenerCall call, List<? extends ConsumerRecord<?, ?>> part, Consumer<?, ?> consumer) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            transactions.runApart(call.bound, part, consumer, () -> {
                begun.set(true);
                super.runPart(call, part, consumer);
            });
        } finally {
            if (!begun.get() && call.size() > 0) {
                engine.failAll(call.executions(), null);
            }
        }
    }

    @Override
    public void acknowledge(@Nullable Acknowledgment container, BoundConsumer bound) {
        if (container != null) {
            container.acknowledge();
        }
    }

    @Override
    byte @Nullable [] handle(ListenerCall call) {
        call.invokeWithinTransaction(true);
        return null;
    }

    @Override
    boolean succeeded(ListenerCall call) {
        call.bound.transaction().handled(call.executions(), call.records());
        return true;
    }

    @Override
    RuntimeException failed(ListenerCall call, Throwable thrown) {
        return call.failure(thrown, FailedWork.release(engine, call.executions(), thrown));
    }

    /** The commit finishes them; see {@link DedupTransactionManager}. */
    @Override
    public boolean returnFinishes() {
        return false;
    }

    @Override
    public boolean undoesAll() {
        return true;
    }
}
