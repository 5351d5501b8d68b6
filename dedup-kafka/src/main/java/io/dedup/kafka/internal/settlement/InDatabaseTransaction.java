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
final class InDatabaseTransaction implements SettlementKind<ListenerCall> {
    @Override
    public Transaction transaction() {
        return Transaction.DATABASE;
    }

    @Override
    public ListenerRun of(ListenerCall call) {
        return new Run(call);
    }

    private static final class Run extends ListenerRun {
        Run(ListenerCall call) {
            super(call);
        }

        @Override
        public boolean run() {
            TransactionalRun run = call.open();
            if (run == null) {
                return true;
            }
            RunEnd end = HandlerRun.runAll(run.executions(), this::handle, run);
            if (end instanceof RunEnd.Failed failed) {
                throw call.failure(failed.cause(), false);
            }
            if (end instanceof RunEnd.NotHandled notHandled) {
                call.undone(notHandled.admission());
            } else {
                call.deliverReply();
            }
            return true;
        }

        private byte @Nullable [] handle() {
            invokeWithinTransaction(call.bound.commitsOffsets());
            return call.kept();
        }
    }
}
