package io.dedup.examples.remoting;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Counts the deliveries that were acknowledged without a run. */
record CountingListener(AtomicInteger duplicates) implements DedupListener {
    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        duplicates.incrementAndGet();
    }
}
