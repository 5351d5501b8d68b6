package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.consumer.BoundConsumer;
import java.util.List;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * How runs of a container's listener end, for record listeners and batch listeners alike ({@link SettlementKinds}
 * chooses). {@link io.dedup.adapter.HandlerRun} defines the order of steps and the handling of an {@link Error}; each
 * kind defines the steps. A {@link ListenerRun} knows the {@link ListenerCall} that it settles; a call doesn't know how it
 * ends. Thread-safe.
 *
 * @param <C> the calls that may end so
 */
public interface SettlementKind<C extends ListenerCall> {
    /** The transaction whose commit ends a record. Who acknowledges, and what a failure undoes, follow from it. */
    enum Transaction {
        NONE,
        /** Opened for the call; the container commits the offsets afterwards. */
        DATABASE,
        /** The container's own, which commits the offsets too. */
        KAFKA;

        /** Whether a failure also undoes the runs that it proves successful, so that they are repeated. */
        public boolean undoesAll() {
            return this != NONE;
        }
    }

    Transaction transaction();

    /** The listener was called with these records, which aren't claimed yet. */
    default void called(List<? extends ConsumerRecord<?, ?>> records, BoundConsumer bound) {}

    /** The run of a call whose records may run. */
    ListenerRun of(C call);

    /**
     * Runs a call for the first records of a poll only; those behind them are redelivered.
     *
     * @param part those records, whose offsets may be committed when this returns
     * @throws NotCommittedException when the transaction of the part has failed, and not its handler
     */
    default void runPart(
            ListenerRun run, List<? extends ConsumerRecord<?, ?>> part, @Nullable Consumer<?, ?> consumer) {
        if (!run.isEmpty()) {
            run.run();
        }
    }
}
