package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.TransactionalRun;
import org.jspecify.annotations.Nullable;

/**
 * The commit of the database transaction that the engine opens ends a record, in every ack mode.
 *
 * <ol>
 *   <li>open the transaction and ask its records: they may decide about a message instead of the claim
 *   <li>begin, handler; in a manual ack mode with an acknowledgment that is evaluated at the return: a record that isn't
 *       acknowledged, or is nacked, fails the run
 *   <li>success: complete and commit, then the reply, then the container's acknowledgment
 *   <li>failure: roll back; a missing acknowledgment is a deferral, any other failure is passed on
 * </ol>
 */
final class InDatabaseTransaction extends SettlementKind {
    private final boolean manual;

    InDatabaseTransaction(boolean manual) {
        this.manual = manual;
    }

    @Override
    public boolean run(ListenerCall call) {
        TransactionalRun run = call.open();
        if (run == null) {
            return true;
        }
        RunEnd end = HandlerRun.runAll(run.executions(), call, run);
        if (end instanceof RunEnd.Failed failed) {
            throw call.failure(failed.cause(), false);
        }
        if (end instanceof RunEnd.NotRun notRun) {
            call.undone(notRun.admission());
        } else {
            call.deliverReply();
        }
        return true;
    }

    @Override
    byte @Nullable [] handle(ListenerCall call) {
        call.invokeWithinTransaction(call.bound.commitsOffsets());
        return call.kept();
    }

    @Override
    boolean succeeded(ListenerCall call) {
        throw new IllegalStateException("The transaction settles this call");
    }

    @Override
    RuntimeException failed(ListenerCall call, Throwable thrown) {
        throw new IllegalStateException("The transaction settles this call", thrown);
    }

    @Override
    public boolean acksInOrder() {
        return manual;
    }

    @Override
    public boolean undoesAll() {
        return true;
    }
}
