package io.dedup.internal.direct;

import io.dedup.DedupCall;
import io.dedup.DedupHandler;
import io.dedup.adapter.Execution;
import io.dedup.adapter.Work;
import org.jspecify.annotations.Nullable;

/** One call of a caller's handler. Keeps the value that the handler returned. */
final class DirectCall<R extends @Nullable Object> implements Work {
    private final DedupCall<R> call;
    private final DedupHandler<R, ?> handler;
    private final Outcomes outcomes;
    private final int maxResultBytes;
    private @Nullable R value;

    DirectCall(DedupCall<R> call, DedupHandler<R, ?> handler, Outcomes outcomes, int maxResultBytes) {
        this.call = call;
        this.handler = handler;
        this.outcomes = outcomes;
        this.maxResultBytes = maxResultBytes;
    }

    @Override
    public byte @Nullable [] run(Execution execution) throws Throwable {
        R returned = handler.handle(execution);
        value = returned;
        return outcomes.encode(call, maxResultBytes, returned);
    }

    /** What the handler returned. */
    @SuppressWarnings("NullAway") // null only where R takes null
    R value() {
        return value;
    }
}
