package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.ack.GivenRecords;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/** A call of a record listener, whose record may end later than the call. */
public abstract class RecordListenerCall extends ListenerCall {
    private boolean returnEnds = true;
    private @Nullable UnaryOperator<CompletableFuture<?>> later;

    protected RecordListenerCall(BoundConsumer bound, @Nullable Acknowledgment container) {
        super(bound, container);
    }

    /**
     * Calls the user's listener, whose return doesn't end the record: no reply is stored.
     *
     * @param later takes over a future that the handler returns, and returns one that completes when the outcome is
     *     settled; null if the call waits for the future
     */
    final void invoke(Acknowledgment acknowledgment, @Nullable UnaryOperator<CompletableFuture<?>> later) {
        this.returnEnds = false;
        this.later = later;
        invoke(acknowledgment, false);
    }

    /** Whether the record ends when the listener returns, so that its result can be stored for duplicates. */
    protected final boolean returnEnds() {
        return returnEnds;
    }

    /** What takes over a future that the handler returns; null if the call waits for it. */
    protected final @Nullable UnaryOperator<CompletableFuture<?>> later() {
        return later;
    }

    /** As {@link #give}, but the acknowledgment covers this record alone. */
    protected abstract GivenRecords giveAlone();
}
