package io.dedup.doubles;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupTopic;
import io.dedup.policy.OnConflict;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Adds what keeps a message from its run, or takes the run back, to a list: {@code duplicate m-1}. */
public final class EventRecorder implements DedupListener {
    private final List<String> events;

    /** @param events thread-safe */
    public EventRecorder(List<String> events) {
        this.events = events;
    }

    private void add(String what, @Nullable DedupKey key) {
        events.add(what + " " + (key == null ? null : key.messageId()));
    }

    @Override
    public void duplicate(DedupKey key, Instant completedAt, @Nullable String firstRun) {
        add("duplicate", key);
    }

    @Override
    public void copyInBatch(DedupKey key) {
        add("copy", key);
    }

    @Override
    public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
        add("deferred", key);
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        events.add("missing");
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        add("conflict", key);
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        add(cause == null ? "given back" : "released", key);
    }

    @Override
    public void leaseLost(DedupKey key) {
        add("lost", key);
    }
}
