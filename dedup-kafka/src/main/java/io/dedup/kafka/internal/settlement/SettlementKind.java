package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * How a run of a container's listener ends, for a record listener and a batch listener alike ({@link SettlementKinds} chooses).
 * The order of steps, with what happens to an {@link Error}, is {@link io.dedup.adapter.HandlerRun}'s; each
 * kind says what its steps are. Thread-safe.
 */
public abstract class SettlementKind {
    /** The record listener was called with this, which nobody has claimed yet. */
    public void called(ConsumerRecord<?, ?> record, BoundConsumer bound) {}

    /** The batch listener was called with these, which nobody has claimed yet. */
    public void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {}

    /**
     * Runs a call whose records may run, and settles it.
     *
     * @return whether its records are finished with that; if not, they finish with their acknowledgment or their future
     * @throws RuntimeException what the container is told of a failure; an Error as it is
     */
    public boolean run(ListenerCall call) {
        return call.runHandler();
    }

    /**
     * Runs a call for the first records of a poll alone: what is behind them comes again.
     *
     * @param part those records, whose offsets may be committed when this returns
     */
    public void runPart(
            ListenerCall call, List<? extends ConsumerRecord<?, ?>> part, @Nullable Consumer<?, ?> consumer) {
        if (call.size() > 0) {
            run(call);
        }
    }

    /** Calls the handler; what it throws is a failure. Returns what is kept for duplicates. */
    abstract byte @Nullable [] handle(ListenerCall call);

    /** The handler has returned; whether that finishes its records. */
    abstract boolean succeeded(ListenerCall call);

    /** The handler has failed: ends its claims, and returns what the container is told. */
    abstract RuntimeException failed(ListenerCall call, Throwable thrown);

    /** The work of a call that has returned ends with this future; returns what ends when that is settled. */
    public CompletableFuture<?> endsWith(ListenerCall call, CompletableFuture<?> work) {
        throw new IllegalStateException("a run of this kind ends when its call does");
    }

    /** Whether what the handler returned may end later than its call. */
    public boolean endsWithFuture() {
        return false;
    }

    /** Whether what the handler returns is kept for duplicates: where its return is the end of its work. */
    public boolean keepsReplies() {
        return true;
    }

    /** Whether the container is told of a record when everything below it is finished, too. */
    public boolean acksInOrder() {
        return false;
    }

    /** Whether the handler may have its records for longer than its call, until it acknowledges them. */
    public boolean endsWithAcknowledgment() {
        return false;
    }

    /** Whether a failure undoes those runs, too, which it proves successful, so that they run again. */
    public boolean undoesAll() {
        return false;
    }

    /** Everything below a record that needed no run, or whose run has finished it, may now be the lowest unfinished one. */
    public void finished(BoundConsumer bound) {}

    /** The records of the call are finished, as far as the container's own acknowledgment goes. */
    public void acknowledge(@Nullable Acknowledgment container, BoundConsumer bound) {
        if (container != null && bound.commitsOffsets()) {
            container.acknowledge();
        }
    }

    /** Whether the container may forget its records when the listener returns without giving any back. */
    public boolean returnFinishes() {
        return true;
    }
}
