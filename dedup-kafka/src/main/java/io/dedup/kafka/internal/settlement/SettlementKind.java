package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.support.Acknowledgment;

/**
 * How a run of a container's listener ends, for record listeners and batch listeners alike ({@link SettlementKinds}
 * chooses). {@link io.dedup.adapter.HandlerRun} defines the order of steps and the handling of an {@link Error}; each
 * kind defines the steps. Thread-safe.
 */
public abstract class SettlementKind {
    /** The record listener was called with this record, which isn't claimed yet. */
    public void called(ConsumerRecord<?, ?> record, BoundConsumer bound) {}

    /** The batch listener was called with these records, which aren't claimed yet. */
    public void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {}

    /**
     * Runs a call whose records may run, and settles it.
     *
     * @return whether its records are finished with that; if not, they finish with their acknowledgment or their future
     * @throws RuntimeException the exception for the container after a failure; an Error is thrown unchanged
     */
    public boolean run(ListenerCall call) {
        return call.runHandler();
    }

    /**
     * Runs a call for the first records of a poll only; those behind them are redelivered.
     *
     * @param part those records, whose offsets may be committed when this returns
     */
    public void runPart(
            ListenerCall call, List<? extends ConsumerRecord<?, ?>> part, @Nullable Consumer<?, ?> consumer) {
        if (call.size() > 0) {
            run(call);
        }
    }

    /** Calls the handler; an exception is a failure. Returns the encoded result that is stored for duplicates. */
    abstract byte @Nullable [] handle(ListenerCall call);

    /**
     * The listener has returned and has sought back meanwhile.
     *
     * @throws NotAcknowledgedException when it has sought to or below its records
     */
    void soughtBack(ListenerCall call) {
        int first = call.firstSoughtBack();
        if (first >= 0) {
            throw NotAcknowledgedException.soughtBack(first);
        }
    }

    /** The handler has returned. Returns whether that finishes its records. */
    abstract boolean succeeded(ListenerCall call);

    /** The handler has failed: ends its claims, and returns the exception for the container. */
    abstract RuntimeException failed(ListenerCall call, Throwable thrown);

    /**
     * The work of a call that has returned ends with this future. Returns a future that completes when the outcome is
     * settled.
     */
    public CompletableFuture<?> endsWith(ListenerCall call, CompletableFuture<?> work) {
        throw new IllegalStateException("A run of this kind ends when its call returns");
    }

    /** Whether the handler may return work that ends after its call. */
    public boolean endsWithFuture() {
        return false;
    }

    /** Whether the handler's result is stored for duplicates: only if its return ends its work. */
    public boolean keepsReplies() {
        return true;
    }

    /** Whether a record is acknowledged to the container only when everything below it is finished too. */
    public boolean acksInOrder() {
        return false;
    }

    /** Whether the handler may keep its records after its call, until it acknowledges them. */
    public boolean endsWithAcknowledgment() {
        return false;
    }

    /** Whether a failure also undoes the runs that it proves successful, so that they are repeated. */
    public boolean undoesAll() {
        return false;
    }

    /**
     * A record that needed no run, or whose run has finished it, may have been the last unfinished one below a record
     * to redeliver.
     */
    public void finished(BoundConsumer bound) {}

    /** The records of the call are finished as far as the container's own acknowledgment is concerned. */
    public void acknowledge(@Nullable Acknowledgment container, BoundConsumer bound) {
        if (container != null && bound.commitsOffsets()) {
            container.acknowledge();
        }
    }

    /** Whether the container may forget its records when the listener returns without a nack. */
    public boolean returnFinishes() {
        return true;
    }
}
