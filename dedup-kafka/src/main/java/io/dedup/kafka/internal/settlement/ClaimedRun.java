package io.dedup.kafka.internal.settlement;

import io.dedup.adapter.HandlerCall;
import io.dedup.adapter.HandlerRun;
import io.dedup.adapter.Settlement;
import org.jspecify.annotations.Nullable;

/** A run whose claims are settled by what its kind does after the handler, and not by a database's transaction. */
abstract class ClaimedRun extends ListenerRun
        implements HandlerCall<byte @Nullable []>, Settlement<byte @Nullable [], Boolean> {
    ClaimedRun(ListenerCall call) {
        super(call);
    }

    @Override
    public boolean run() {
        return HandlerRun.runAll(call.executions(), this, this);
    }
}
