package io.dedup.kafka.internal.settlement;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One run of a call, which ends as its {@link SettlementKind} says. Made before anything happens, so that a failure to make
 * it leaves nothing behind but claims. Used by the consumer's thread, except for work that ends later.
 */
public abstract class ListenerRun {
    final ListenerCall call;

    ListenerRun(ListenerCall call) {
        this.call = call;
    }

    /**
     * Runs the call, whose records may run, and settles it.
     *
     * @return whether its records are finished with that; if not, they finish with their acknowledgment or their future
     * @throws RuntimeException the exception for the container after a failure; an Error is thrown unchanged
     */
    public abstract boolean run();

    /** Whether none of the records runs. */
    final boolean isEmpty() {
        return call.executions().isEmpty();
    }

    /**
     * Calls the listener with an acknowledgment that is evaluated when it returns.
     *
     * @param needed whether records that aren't acknowledged are redelivered
     * @throws NotAcknowledgedException when not everything may be committed
     * @throws RuntimeException when its method had failed
     */
    final void invokeWithinTransaction(boolean needed) {
        Acknowledgment container = call.container;
        TransactionAcknowledgment ack =
                container == null ? null : new TransactionAcknowledgment(container, call.handed());
        call.invoke(ack, true);
        requireNotSoughtBack();
        if (ack != null) {
            ack.handlerReturned();
        }
        call.bound
                .takenFailure()
                .requireNone(call.handed() != null); // who fails acknowledges nothing, and must be counted
        if (ack != null && needed) {
            ack.requireAll();
        }
    }

    /**
     * The listener has returned.
     *
     * @throws NotAcknowledgedException when it has sought to or below its records
     */
    final void requireNotSoughtBack() {
        int first = call.bound.soughtBack().isEmpty() ? -1 : firstSoughtBack();
        if (first >= 0) {
            throw NotAcknowledgedException.soughtBack(first);
        }
    }

    /** The position of the first of its records that the listener has sought to or below; -1 if there is none. */
    final int firstSoughtBack() {
        List<? extends ConsumerRecord<?, ?>> records = call.records();
        for (int i = 0; i < records.size(); i++) {
            if (call.bound.soughtBack().includes(records.get(i))) {
                return i;
            }
        }
        return -1;
    }
}
