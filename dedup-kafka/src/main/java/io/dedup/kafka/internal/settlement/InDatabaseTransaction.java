package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.RunEnd;
import io.dedup.adapter.TransactionalRun;
import org.jspecify.annotations.Nullable;

/**
 * The commit of the database's transaction, which the engine opens, is the end, in every ack mode.
 *
 * <ol>
 *   <li>open the transaction and ask its records: they may decide about a message instead of the claim
 *   <li>begin, handler; in a manual ack mode with an acknowledgment that is heard of at the return: what isn't acknowledged, or is
 *       given back, fails the run
 *   <li>success: complete and commit, then the reply, then the container's acknowledgment
 *   <li>failure: roll back; not acknowledged is a deferral, anything else is the container's
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
        throw new IllegalStateException("its transaction settles it");
    }

    @Override
    RuntimeException failed(ListenerCall call, Throwable thrown) {
        throw new IllegalStateException("its transaction settles it", thrown);
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
