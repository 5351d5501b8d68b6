package io.dedup.simulation.judge;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupTopic;
import io.dedup.policy.OnConflict;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What deduplicators say that they do with messages because of a policy, and not because of what happened before. Thread-safe. */
public final class PolicyWatch implements DedupListener {
    private final Consumer<String> steps;
    private final Set<String> unguarded = ConcurrentHashMap.newKeySet();
    private final Set<String> conflicts = ConcurrentHashMap.newKeySet();
    private final Map<String, Integer> deaths = new ConcurrentHashMap<>();

    public PolicyWatch(Consumer<String> steps) {
        this.steps = steps;
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        String id = key == null ? "a message without an ID" : key.messageId();
        steps.accept("without a claim: " + id);
        unguarded.add(id);
    }

    @Override
    public void acquired(DedupKey key, int attempt) {
        unguarded.remove(key.messageId());
    }

    @Override
    public void poison(DedupKey key, int times) {
        steps.accept("rejected after " + times + " deaths: " + key.messageId());
        deaths.merge(key.messageId(), times, Math::max);
    }

    @Override
    public void conflict(DedupKey key, OnConflict policy) {
        steps.accept("another payload: " + policy + " for " + key.messageId());
        conflicts.add(key.messageId());
    }

    /** Whether a message was met with this ID that had another payload than the one before. */
    public boolean hasConflict(String id) {
        return conflicts.contains(id);
    }

    /** Whether the run of this message that was admitted last has no claim. */
    public boolean isUnguarded(String id) {
        return unguarded.contains(id);
    }

    /** After how many deaths this message was rejected; 0 if it wasn't. */
    public int deaths(String id) {
        return deaths.getOrDefault(id, 0);
    }
}
