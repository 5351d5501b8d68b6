package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.failure.FailedWork;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handler's return ends a record: the automatic ack modes.
 *
 * <ol>
 *   <li>begin, handler
 *   <li>success: complete, at once or queued before the next commit; whatever the store answers, the effect has happened
 *   <li>send the reply that was held back, and wait until the broker has it; the listener returns, and the container acks
 *   <li>failure: complete what it proves handled, release the rest; a lost lease is a deferral, any other failure is passed on
 *   <li>the listener has returned and sought back: release what it has sought to or below, complete the rest; a deferral
 * </ol>
 */
final class AtReturn implements SettlementKind<ListenerCall> {
    private final DedupAdapter engine;

    AtReturn(DedupAdapter engine) {
        this.engine = engine;
    }

    @Override
    public Transaction transaction() {
        return Transaction.NONE;
    }

    @Override
    public ListenerRun of(ListenerCall call) {
        return new Run(call);
    }

    private final class Run extends ClaimedRun {
        Run(ListenerCall call) {
            super(call);
        }

        @Override
        public byte @Nullable [] call() {
            call.invoke(null, false);
            requireNotSoughtBack();
            call.bound.takenFailure().warn();
            return null;
        }

        @Override
        public Boolean succeeded(byte @Nullable [] result) {
            call.complete(call.executions());
            call.deliverReply();
            return true;
        }

        @Override
        public Boolean failed(Throwable thrown) {
            int proven = call.provenBy(thrown);
            boolean soughtBack = thrown instanceof NotAcknowledgedException;
            List<Execution> executions = call.executions();
            List<Execution> done = new ArrayList<>();
            List<Execution> again = new ArrayList<>();
            for (int i = 0; i < executions.size(); i++) {
                boolean isDone = soughtBack
                        ? !call.bound.soughtBack().includes(call.records().get(i))
                        : i < proven;
                (isDone ? done : again).add(executions.get(i));
            }
            if (!done.isEmpty()) {
                call.complete(done);
            }
            throw call.failure(thrown, FailedWork.release(engine, again, thrown));
        }
    }
}
