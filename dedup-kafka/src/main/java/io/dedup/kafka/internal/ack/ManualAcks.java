package io.dedup.kafka.internal.ack;

import static java.util.Objects.requireNonNull;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.WaitBudget;
import io.dedup.kafka.internal.failure.FailedWork;
import io.dedup.step.LeaseLostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Completes what a handler acknowledges. A success is recorded in the store before the container gets its
 * acknowledgment, or, if it is queued, before the container commits. Thread-safe.
 */
public final class ManualAcks {
    private final DedupAdapter engine;
    private final PendingDeliveries pending;
    private final Redeliveries redeliveries;
    private final Supplier<WaitBudget> budget;
    private final Predicate<Execution> queue;

    /**
     * Creates the one of a consumer.
     *
     * @param queue queues a success to be recorded before an offset beyond it is committed; returns false if it must be
     *     recorded at once
     */
    public ManualAcks(
            DedupAdapter engine,
            PendingDeliveries pending,
            Redeliveries redeliveries,
            Supplier<WaitBudget> budget,
            Predicate<Execution> queue) {
        this.engine = engine;
        this.pending = pending;
        this.redeliveries = redeliveries;
        this.budget = budget;
        this.queue = queue;
    }

    public PendingDeliveries pending() {
        return pending;
    }

    /** Whether the listener's call that is going on has sought to or below this record. */
    boolean isSoughtBack(PendingDelivery delivery) {
        return pending.soughtBack().includes(delivery.partition.id(), delivery.offset);
    }

    /**
     * Adds a record that the handler is about to get. If that fails, its claim is released: otherwise it would be
     * renewed for maxProcessingTime.
     */
    public PendingDelivery given(ConsumerRecord<?, ?> record, Execution execution, @Nullable ContainerAck ack) {
        try {
            return pending.arrivals().given(record, execution, ack);
        } catch (Throwable e) {
            execution.giveBack();
            throw e;
        }
    }

    /**
     * The handler acknowledges these records and everything below them, as the contract of
     * {@code Acknowledgment.acknowledge()} and the committed offset imply.
     *
     * @param ack the container's acknowledgment that goes with it, if any
     * @throws LeaseLostException if one of these has left a step out; for the handler, which it must end
     */
    public void acknowledge(Collection<PendingDelivery> own, @Nullable ContainerAck ack) {
        List<PendingDelivery> stopped = new ArrayList<>(0);
        try {
            complete(pending.close(own, stopped, ack), ack);
        } finally {
            stopped.forEach(this::redeliver);
        }
        for (PendingDelivery each : stopped) {
            if (own.contains(each)) {
                throw requireNonNull(each.stopped());
            }
        }
    }

    /** Completes exactly these deliveries, and none below them. */
    public void finish(Collection<PendingDelivery> deliveries) {
        if (!deliveries.isEmpty()) {
            complete(pending.closeOnly(deliveries, null), null);
        }
    }

    /**
     * Completes exactly this delivery, and none below it. No effect if the handler no longer has it.
     *
     * @param ack the container's acknowledgment that goes with it, if any; sent when everything below is finished
     */
    public void acknowledgeOnly(PendingDelivery delivery, @Nullable ContainerAck ack) {
        LeaseLostException stopped = delivery.stopped();
        if (stopped != null) {
            redeliver(delivery);
            throw stopped;
        }
        List<PendingDelivery> closing = pending.closeOnly(List.of(delivery), ack);
        if (!closing.isEmpty()) {
            complete(closing, ack);
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
            try {
                pending.closed(closing, ack);
            } finally {
                redeliveries.fetch(); // one of them may have been the last unfinished record below one to redeliver
            }
        }
    }

    /** Queues the successes that can be queued and returns the others. */
    private List<Execution> unqueued(List<PendingDelivery> closing) {
        List<Execution> left = new ArrayList<>(closing.size());
        for (PendingDelivery each : closing) {
            Execution execution = each.execution;
            if (execution != null && !queue.test(execution)) {
                left.add(execution);
            }
        }
        return left;
    }

    /** Its handler, which has left a step out, may have returned long ago: nobody else has it delivered again. */
    private void redeliver(PendingDelivery stopped) {
        boolean unused = redeliver(stopped, requireNonNull(stopped.stopped()), true);
    }

    /**
     * Releases a delivery whose work has failed, and has it fetched again. No effect if it was acknowledged: its completion
     * may still be on its way to the store.
     *
     * @param isFailure whether an error handler decides about it then, unless the lease was lost
     * @return whether its lease had been lost
     */
    public boolean redeliver(PendingDelivery delivery, Throwable cause, boolean isFailure) {
        List<PendingDelivery> closing = pending.closeOnly(List.of(delivery), null);
        if (closing.isEmpty()) {
            return false;
        }
        boolean leaseLost = false;
        try {
            leaseLost = FailedWork.release(engine, PendingDelivery.executions(closing), cause);
        } finally { // after an Error too: nothing above an unfinished record is committed
            boolean isDeferral = HandlerRun.isDeferral(leaseLost, cause);
            redeliveries.failed(delivery, isFailure && !isDeferral ? cause : null);
        }
        return leaseLost;
    }

    /**
     * Releases deliveries whose handler failed or called {@code nack}. Returns whether the lease of one of them had
     * been lost.
     */
    public boolean fail(List<PendingDelivery> deliveries, Throwable cause) {
        return FailedWork.release(engine, PendingDelivery.executions(pending.abort(deliveries)), cause);
    }

    /** The same for deliveries that their handler has sought back to. */
    public boolean sendBack(Collection<PendingDelivery> deliveries, Throwable cause) {
        return FailedWork.release(engine, PendingDelivery.executions(pending.sendBack(deliveries)), cause);
    }
}
