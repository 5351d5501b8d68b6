package io.dedup.spring.boot.internal.outcome;

import io.dedup.DedupListener;
import io.dedup.policy.DedupPolicy;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorListenerFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/** What became of messages since the start, for the endpoint, which is there without metrics as well. Thread-safe. */
public final class OutcomeCounts implements DeduplicatorListenerFactory {
    private final Map<Scope, Map<String, LongAdder>> counts = new ConcurrentHashMap<>();

    private record Scope(String consumer, String topic) {}

    @Override
    public DedupListener of(String consumer, Function<String, DedupPolicy> policies) {
        return new OutcomeListener() {
            @Override
            protected void count(String topic, String outcome) {
                counts.computeIfAbsent(new Scope(consumer, topic), unused -> new ConcurrentHashMap<>())
                        .computeIfAbsent(outcome, unused -> new LongAdder())
                        .increment();
            }
        };
    }

    /** By outcome. */
    public Map<String, Long> of(String consumer, String topic) {
        Map<String, Long> result = new TreeMap<>();
        counts.getOrDefault(new Scope(consumer, topic), Map.of())
                .forEach((outcome, count) -> result.put(outcome, count.sum()));
        return result;
    }
}
