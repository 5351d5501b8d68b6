package io.dedup.kafka.internal.ack;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.Execution;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.FailedWork;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Closes out what a handler acknowledges: the store is told before the container is, or, of what is queued, before the
 * container commits. Thread-safe.
 */
public final class ManualAcks {
    private final DedupAdapter engine;
    private final PendingDeliveries pending;
    private final Redeliveries redeliveries;
    private final Supplier<WaitBudget> budget;
    private final BiPredicate<Execution, Delivery> queue;

    /** @param queue has the store told of it before an offset beyond it is committed; false where it must be told now */
    public ManualAcks(
            DedupAdapter engine,
            PendingDeliveries pending,
            Redeliveries redeliveries,
            Supplier<WaitBudget> budget,
            BiPredicate<Execution, Delivery> queue) {
        this.engine = engine;
        this.pending = pending;
        this.redeliveries = redeliveries;
        this.budget = budget;
        this.queue = queue;
    }

    public PendingDeliveries pending() {
        return pending;
    }

    /** The handler is about to get this record. If that fails, its claim is given back: nobody else would end its renewals. */
    public PendingDelivery given(
            ConsumerRecord<?, ?> record, Delivery delivery, Execution execution, @Nullable ContainerAck ack) {
        try {
            return pending.arrivals().given(record, delivery, execution, ack);
        } catch (Throwable e) {
            execution.giveBack();
            throw e;
        }
    }

    /**
     * The handler acknowledges these positions, and with them everything below: so says the contract of
     * {@code Acknowledgment.acknowledge()}, and so does the offset that it commits.
     *
     * @param ack the container's ack that goes with it, if any
     */
    public void acknowledge(Collection<PendingDelivery> upTo, @Nullable ContainerAck ack) {
        complete(pending.close(upTo, ack), ack);
    }

    /** These are done, whatever becomes of those below them. */
    public void finish(Collection<PendingDelivery> deliveries) {
        if (!deliveries.isEmpty()) {
            complete(pending.closeOnly(deliveries, null), null);
        }
    }

    /**
     * This one is done, whatever becomes of those below it; nothing happens when it isn't the handler's any more.
     *
     * @param ack the container's ack that goes with it, if any; sent when all below is finished
     */
    public void acknowledgeOnly(PendingDelivery delivery, @Nullable ContainerAck ack) {
        List<PendingDelivery> closing = pending.closeOnly(List.of(delivery), ack);
        if (!closing.isEmpty()) {
            complete(closing, ack);
            redeliveries.fetch();
        }
    }

    private void complete(List<PendingDelivery> closing, @Nullable ContainerAck ack) {
        try {
            List<Execution> executions = unqueued(closing);
            if (executions.size() == 1) {
                executions.get(0).succeed(null, budget.get());
            } else if (!executions.isEmpty()) {
                engine.succeedAll(executions, budget.get());
            }
        } finally {
            pending.closed(closing, ack);
        }
    }

    /** Queues what can be; those that are left. */
    private List<Execution> unqueued(List<PendingDelivery> closing) {
        List<Execution> left = new ArrayList<>(closing.size());
        for (PendingDelivery each : closing) {
            Execution execution = each.execution;
            if (execution != null && (each.delivery == null || !queue.test(execution, each.delivery))) {
                left.add(execution);
            }
        }
        return left;
    }

    /** The handler failed with these, or gave them back; true when the lease of one was lost before. */
    public boolean fail(List<PendingDelivery> deliveries, Throwable cause) {
        return FailedWork.release(engine, PendingDelivery.executions(pending.abort(deliveries)), cause);
    }
}
