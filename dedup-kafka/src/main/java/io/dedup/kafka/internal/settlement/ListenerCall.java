package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.Settlement;
import io.dedup.adapter.TransactionalRun;
import io.dedup.kafka.internal.ack.PendingDelivery;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One call of the user's listener: its records, how it is called, and how its failure is reported to the container. It
 * runs through {@link io.dedup.adapter.HandlerRun}; its {@link SettlementKind} defines the steps. Used by the
 * consumer's thread, except for work that ends later.
 */
public abstract class ListenerCall implements HandlerCall<byte @Nullable []>, Settlement<byte @Nullable [], Boolean> {
    protected final SettlementKind kind;
    protected final BoundConsumer bound;
    /** The container's own acknowledgment; null in the automatic ack modes. */
    protected final @Nullable Acknowledgment container;

    protected ListenerCall(SettlementKind kind, BoundConsumer bound, @Nullable Acknowledgment container) {
        this.kind = kind;
        this.bound = bound;
        this.container = container;
    }

    /** Starts its runs, calls the handler and settles. Returns whether its records are finished with that. */
    protected abstract boolean runHandler();

    @Override
    public final byte @Nullable [] call() {
        bound.soughtBack().begin();
        try {
            return kind.handle(this);
        } finally {
            bound.soughtBack().end();
        }
    }

    @Override
    public final Boolean succeeded(byte @Nullable [] result) {
        return kind.succeeded(this);
    }

    @Override
    public final Boolean failed(Throwable thrown) {
        throw kind.failed(this, thrown);
    }

    /** Calls the user's listener. */
    protected abstract void invoke(@Nullable Acknowledgment acknowledgment);

    /**
     * Calls the user's listener.
     *
     * @throws NotAcknowledgedException when it has returned and sought back to its records
     */
    final void invokeListener(@Nullable Acknowledgment acknowledgment) {
        invoke(acknowledgment);
        if (!bound.soughtBack().isEmpty()) {
            kind.soughtBack(this);
        }
    }

    /**
     * Calls the listener with an acknowledgment that is evaluated when it returns.
     *
     * @param needed whether records that aren't acknowledged are redelivered
     * @throws NotAcknowledgedException when not everything may be committed
     */
    final void invokeWithinTransaction(boolean needed) {
        TransactionAcknowledgment ack = container == null ? null : new TransactionAcknowledgment(container, handed());
        invokeListener(ack);
        if (ack != null) {
            ack.handlerReturned(needed);
        }
    }

    /** The position of the first of its records that the listener has sought to or below; -1 if there is none. */
    final int firstSoughtBack() {
        List<? extends ConsumerRecord<?, ?>> records = records();
        for (int i = 0; i < records.size(); i++) {
            if (bound.soughtBack().includes(records.get(i))) {
                return i;
            }
        }
        return -1;
    }

    /** The number of its records. */
    protected abstract int size();

    protected abstract List<? extends ConsumerRecord<?, ?>> records();

    protected abstract List<Execution> executions();

    /** The records that a batch handler is given; null for a record listener. */
    protected @Nullable HandedBatch<?, ?> handed() {
        return null;
    }

    /** The number of its records, from the first one on, that a failure proves handled. */
    protected int provenBy(Throwable thrown) {
        return 0;
    }

    /** The exception for the container after a failure. */
    protected abstract RuntimeException failure(Throwable thrown, boolean leaseLost);

    /** Completes these of its runs, at least one, whose effects have happened. */
    protected abstract void complete(List<Execution> done);

    /** The encoded result that is stored for duplicates; null if none is. */
    protected byte @Nullable [] kept() {
        return null;
    }

    /** The records are done: sends the reply that was held back, if there is one. */
    protected void deliverReply() {}

    /**
     * Adds its records to those that the handler has.
     *
     * @param single whether an acknowledgment covers its own record alone
     */
    protected abstract void give(boolean single);

    /** Its records, as they were added. */
    protected abstract List<PendingDelivery> given();

    /** The acknowledgment for the handler. */
    protected abstract Acknowledgment acknowledgment();

    /** Acknowledges everything that wasn't nacked. */
    protected abstract void acknowledge();

    /** From now on, calls that are allowed only during the handler's call are rejected. */
    protected abstract void handlerReturned();

    /** Whether the handler returned work that ends later. */
    protected boolean endsLater() {
        return false;
    }

    /** The exception for the container when the transaction of a part has failed, and not its handler. */
    protected RuntimeException notCommitted(RuntimeException failure) {
        return failure;
    }

    /**
     * Opens its transaction. Returns null, with no transaction open, if the records have decided about all of its
     * messages.
     */
    protected abstract @Nullable TransactionalRun open();

    /**
     * Its transaction has undone the run. Returns if the message was done elsewhere; otherwise throws the exception for
     * the container.
     */
    protected abstract void undone(Admission instead);

    /** Carries a batch handler's failure out of its transaction; what to do about it is decided afterwards. */
    public static final class HandlerFailed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final Throwable thrown;
        private final boolean leaseLost;

        public HandlerFailed(Throwable thrown, boolean leaseLost) {
            super(null, thrown, false, false);
            this.thrown = thrown;
            this.leaseLost = leaseLost;
        }

        /** What the handler threw. */
        public Throwable thrown() {
            return thrown;
        }

        /** Whether the lease of one of its claims had been lost. */
        public boolean leaseLost() {
            return leaseLost;
        }
    }
}
