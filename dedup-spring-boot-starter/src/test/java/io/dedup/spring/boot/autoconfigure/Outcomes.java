package io.dedup.spring.boot.autoconfigure;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Records what happens to messages, by topic: {@code duplicate orders}. */
record Outcomes(List<String> seen) implements DedupListener {
    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        seen.add("completed " + key.scope().topic());
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        seen.add("duplicate " + key.scope().topic());
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        seen.add("deferred " + (key == null ? "" : key.scope().topic()));
    }
}
