package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.Execution;
import io.dedup.kafka.internal.FailedWork;
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
 * </ol>
 */
final class AtReturn extends SettlementKind {
    private final DedupAdapter engine;

    AtReturn(DedupAdapter engine) {
        this.engine = engine;
    }

    @Override
    byte @Nullable [] handle(ListenerCall call) {
        call.invoke(null);
        return null;
    }

    @Override
    boolean succeeded(ListenerCall call) {
        call.complete(call.size());
        call.deliverReply();
        return true;
    }

    @Override
    RuntimeException failed(ListenerCall call, Throwable thrown) {
        int proven = call.provenBy(thrown);
        if (proven > 0) {
            call.complete(proven);
        }
        List<Execution> executions = call.executions();
        return call.failure(thrown, FailedWork.release(engine, executions.subList(proven, executions.size()), thrown));
    }
}
