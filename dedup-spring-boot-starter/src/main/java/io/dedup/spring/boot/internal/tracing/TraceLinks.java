package io.dedup.spring.boot.internal.tracing;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.RunReference;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Stores the trace of each run with its record, and gives a duplicate a span that links to it. Tags repeat the link, for tracers without
 * links. Message IDs are never tags. Thread-safe.
 */
public final class TraceLinks implements RunReference, DedupListener {
    public static final String SPAN = "dedup duplicate";
    public static final String CONSUMER = "dedup.consumer";
    public static final String TOPIC = "dedup.topic";
    public static final String FIRST_TRACE = "dedup.first.trace.id";
    public static final String FIRST_SPAN = "dedup.first.span.id";
    public static final String FIRST_COMPLETED = "dedup.first.completed.at";

    private final Tracer tracer;

    public TraceLinks(Tracer tracer) {
        this.tracer = tracer;
    }

    @Override
    public @Nullable String ofThisRun() {
        Span current = tracer.currentSpan();
        TraceParent parent = current == null ? null : TraceParent.of(current.context());
        return parent == null ? null : parent.text();
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        TraceParent first = firstRun == null ? null : TraceParent.parse(firstRun);
        if (first == null) {
            return;
        }
        TraceContext context = tracer.traceContextBuilder()
                .traceId(first.traceId())
                .spanId(first.spanId())
                .sampled(true)
                .build();
        Span.Builder span = tracer.spanBuilder()
                .name(SPAN)
                .tag(CONSUMER, key.scope().consumer())
                .tag(TOPIC, key.scope().topic())
                .tag(FIRST_TRACE, first.traceId())
                .tag(FIRST_SPAN, first.spanId())
                .tag(FIRST_COMPLETED, completedAt.toString())
                .addLink(new Link(context));
        Span current = tracer.currentSpan();
        if (current != null) {
            span.setParent(current.context());
        }
        span.start().end();
    }
}
