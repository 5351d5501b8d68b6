package io.dedup.simulation.judge;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupTopic;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What deduplicators say that they do with messages because of a policy, and not because of what happened before. Thread-safe. */
public final class PolicyWatch implements DedupListener {
    private final Consumer<String> steps;
    private final Map<String, Integer> unguarded = new ConcurrentHashMap<>();
    private final Map<String, Integer> deaths = new ConcurrentHashMap<>();

    public PolicyWatch(Consumer<String> steps) {
        this.steps = steps;
    }

    @Override
    public void unguarded(@Nullable DedupKey key, DedupTopic topic) {
        String id = key == null ? "a message without an ID" : key.messageId();
        steps.accept("without a claim: " + id);
        unguarded.merge(id, 1, Integer::sum);
    }

    @Override
    public void poison(DedupKey key, int times) {
        steps.accept("rejected after " + times + " deaths: " + key.messageId());
        deaths.merge(key.messageId(), times, Math::max);
    }

    /** How often this message was handled without a claim: each may be one more effect. */
    public int timesUnguarded(String id) {
        return unguarded.getOrDefault(id, 0);
    }

    /** After how many deaths this message was rejected; 0 if it wasn't. */
    public int deaths(String id) {
        return deaths.getOrDefault(id, 0);
    }
}
