package io.dedup.examples.recipes;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** What happened to messages. Thread-safe. */
final class Counts implements DedupListener {
    /** Message ID and attempt, as {@code o-1#2}, of each run. */
    final List<String> runs = new CopyOnWriteArrayList<>();

    final List<String> completed = new CopyOnWriteArrayList<>();
    final List<String> duplicates = new CopyOnWriteArrayList<>();
    final List<DeferReason> deferrals = new CopyOnWriteArrayList<>();

    @Override
    public void acquired(DedupKey key, int attempt) {
        runs.add(key.messageId() + "#" + attempt);
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        completed.add(key.messageId());
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        duplicates.add(key.messageId());
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        deferrals.add(reason);
    }
}
