package io.dedup.support;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.DedupStoreException;
import io.dedup.DedupTopic;
import io.dedup.policy.OnConflict;
import io.dedup.step.StepOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** Remembers what it is told, as text such as {@code "acquired a 1"}. */
public final class Events implements DedupListener {
    private final List<String> events = new CopyOnWriteArrayList<>();

    public List<String> all() {
        return List.copyOf(events);
    }

    public long count(String event) {
        return events.stream().filter(event::equals).count();
    }

    private void add(String what, @Nullable DedupKey key, Object... more) {
        StringBuilder text = new StringBuilder(what).append(' ').append(key == null ? null : key.messageId());
        for (Object each : more) {
            text.append(' ').append(each);
        }
        events.add(text.toString());
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        add("acquired", key, attempt);
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
        add("deferred", key, reason);
    }

    @Override
    public void missingId(DedupTopic topic, String origin, String problem) {
        events.add("missing in " + origin + ": " + problem);
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        add("conflict", key, policy);
    }

    @Override
    public void poison(DedupKey key, int deaths) {
        add("poison", key, deaths);
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        add("unguarded", key);
    }

    @Override
    public void completed(DedupKey key, Duration handlerTime) {
        add("completed", key);
    }

    @Override
    public void completionPending(DedupKey key) {
        add("pending", key);
    }

    @Override
    public void completionDropped(DedupKey key) {
        add("dropped", key);
    }

    @Override
    public void released(DedupKey key, @Nullable Throwable cause) {
        add("released", key);
    }

    @Override
    public void leaseLost(DedupKey key) {
        add("lost", key);
    }

    @Override
    public void maxProcessingTimeExceeded(DedupKey key) {
        add("overrun", key);
    }

    @Override
    public void resultNotKept(DedupKey key, int bytes) {
        add("result not kept", key, bytes);
    }

    @Override
    public void step(DedupKey key, String name, StepOutcome outcome) {
        add("step", key, name, outcome.tag());
    }

    @Override
    public void storeError(String operation, DedupStoreException error) {
        events.add("store error " + operation);
    }

    @Override
    public void shadow(DedupKey key, String wouldBe) {
        add("shadow", key, wouldBe);
    }
}
