package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.Admission;
import io.dedup.adapter.Execution;
import io.dedup.adapter.TransactionalRun;
import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.poll.WatchedPolls;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * One call of the user's listener: its records, how it is called, and how its failure is reported to the container. How
 * it ends is the matter of the {@link SettlementKind} that runs it. Used by the consumer's thread, except for work that
 * ends later.
 */
public abstract class ListenerCall implements WatchedPolls.Call {
    protected final BoundConsumer bound;
    /** The container's own acknowledgment; null in the automatic ack modes. */
    protected final @Nullable Acknowledgment container;

    protected ListenerCall(BoundConsumer bound, @Nullable Acknowledgment container) {
        this.bound = bound;
        this.container = container;
    }

    /**
     * Calls the user's listener, and watches where it seeks and what it commits meanwhile.
     *
     * @param inTransaction whether the records are done only when a transaction around the call has committed
     */
    final void invoke(@Nullable Acknowledgment acknowledgment, boolean inTransaction) {
        bound.soughtBack().begin();
        bound.watched().called(this, inTransaction);
        bound.takenFailure().begin();
        try {
            callListener(acknowledgment);
        } finally {
            bound.watched().returned();
            bound.soughtBack().end();
        }
    }

    /** Calls the user's listener. */
    protected abstract void callListener(@Nullable Acknowledgment acknowledgment);

    @Override
    public abstract List<? extends ConsumerRecord<?, ?>> records();

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
     * Adds its records to those that the handler has. Returns the acknowledgment for the handler, which covers what is below
     * them too.
     */
    protected abstract GivenRecords give();

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
}
