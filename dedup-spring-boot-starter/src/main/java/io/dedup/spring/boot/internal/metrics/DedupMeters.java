package io.dedup.spring.boot.internal.metrics;

import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.policy.DedupPolicy;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorListenerFactory;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/** Makes the meters of each deduplicator. Thread-safe. */
public final class DedupMeters implements DeduplicatorListenerFactory {
    static final String IN_FLIGHT = "dedup.in.flight";
    static final String COMPLETIONS_PENDING = "dedup.completions.pending";

    private final MeterRegistry registry;
    private final WindowAdvisor advisor;
    private final Map<String, List<Deduplicator>> byConsumer = new ConcurrentHashMap<>();

    public DedupMeters(MeterRegistry registry, WindowAdvisor advisor) {
        this.registry = registry;
        this.advisor = advisor;
    }

    @Override
    public DedupListener of(String consumer, Function<String, DedupPolicy> policies) {
        return new MeterListener(registry, consumer, policies, advisor);
    }

    @Override
    public void opened(Deduplicator deduplicator) {
        String consumer = deduplicator.consumer();
        List<Deduplicator> all = byConsumer.computeIfAbsent(consumer, unused -> new CopyOnWriteArrayList<>());
        all.add(deduplicator);
        if (all.size() == 1) {
            gauge(
                    IN_FLIGHT,
                    consumer,
                    "claims held and transactions open",
                    all,
                    it -> DedupAdapter.of(it).inFlight());
            gauge(
                    COMPLETIONS_PENDING,
                    consumer,
                    "successes that aren't recorded in the store yet: a redelivery may run again",
                    all,
                    it -> DedupAdapter.of(it).pendingCompletions());
        }
    }

    @Override
    public void serving(String consumer, Set<String> topics) {
        topics.forEach(topic -> MeterListener.begin(registry, consumer, topic));
    }

    private void gauge(
            String name,
            String consumer,
            String description,
            List<Deduplicator> of,
            ToIntFunction<Deduplicator> value) {
        Gauge.builder(name, of, all -> all.stream().mapToInt(value).sum())
                .description(description)
                .tag("consumer", consumer)
                .register(registry);
    }
}
