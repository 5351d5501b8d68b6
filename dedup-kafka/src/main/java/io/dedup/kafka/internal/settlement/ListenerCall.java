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
 * One call of the user's listener: its records, how it is called, and how its failure reads for the container. It goes through
 * {@link io.dedup.adapter.HandlerRun}; what happens at each step is its {@link SettlementKind}'s. Used by the consumer's thread,
 * except for what ends later.
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

    /** Begins its runs, calls the handler and settles; whether its records are finished with that. */
    protected abstract boolean runHandler();

    @Override
    public final byte @Nullable [] call() {
        return kind.handle(this);
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
     * Calls it with an acknowledgment that is heard of at its return.
     *
     * @param needed whether what isn't acknowledged comes again
     * @throws NotAcknowledgedException when not everything is to be committed
     */
    final void invokeWithinTransaction(boolean needed) {
        TransactionAcknowledgment ack = container == null ? null : new TransactionAcknowledgment(container, handed());
        invoke(ack);
        if (ack != null) {
            ack.handlerReturned(needed);
        }
    }

    /** How many records it has. */
    protected abstract int size();

    protected abstract List<? extends ConsumerRecord<?, ?>> records();

    protected abstract List<Execution> executions();

    /** What a batch handler is given; null for a record. */
    protected @Nullable HandedBatch<?, ?> handed() {
        return null;
    }

    /** How many of its records, from the first on, a failure proves handled. */
    protected int provenBy(Throwable thrown) {
        return 0;
    }

    /** What the container is told of a failure. */
    protected abstract RuntimeException failure(Throwable thrown, boolean leaseLost);

    /** Completes the runs of its first records, whose effects have happened. */
    protected abstract void complete(int count);

    /** What is kept for duplicates; null when nothing is. */
    protected byte @Nullable [] kept() {
        return null;
    }

    /** The records are done: sends the reply that was held back, if there is one. */
    protected void deliverReply() {}

    /**
     * Enters its records among those that the handler has.
     *
     * @param single whether an acknowledgment stands for its own record alone
     */
    protected abstract void give(boolean single);

    /** Its records, as they were entered. */
    protected abstract List<PendingDelivery> given();

    /** What the handler acknowledges. */
    protected abstract Acknowledgment acknowledgment();

    /** Acknowledges all that wasn't given back. */
    protected abstract void acknowledge();

    /** What can be said only during the call can't be said any more. */
    protected abstract void handlerReturned();

    /** Whether what the handler returned ends later. */
    protected boolean endsLater() {
        return false;
    }

    /** The transaction of a part has failed, not its handler: what the container is told. */
    protected RuntimeException notCommitted(RuntimeException failure) {
        return failure;
    }

    /** Opens its transaction; null when the records have decided about all of its messages, so that none is open. */
    protected abstract @Nullable TransactionalRun open();

    /** Its transaction has undone the run. Returns when the message was done elsewhere, else throws what the container is told. */
    protected abstract void undone(Admission instead);

    /** Takes a batch handler's failure out of its transaction, after which more is to be decided about it. */
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

        /** Whether the lease of one of its claims was lost before. */
        public boolean leaseLost() {
            return leaseLost;
        }
    }
}
