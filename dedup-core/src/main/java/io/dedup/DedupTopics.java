package io.dedup;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The policies of a consumer, topic by topic. Thread-safe. */
final class DedupTopics {
    private final String consumer;
    private final DedupPolicy defaults;
    private final Map<String, DedupPolicy> policies;
    private final ConcurrentHashMap<String, DedupTopic> resolved = new ConcurrentHashMap<>();

    DedupTopics(String consumer, DedupPolicy defaults, Map<String, DedupPolicy> policies) {
        this.consumer = consumer;
        this.defaults = defaults;
        this.policies = Map.copyOf(policies);
    }

    String consumer() {
        return consumer;
    }

    DedupTopic topic(String name) {
        DedupTopic known = resolved.get(name);
        return known != null
                ? known
                : resolved.computeIfAbsent(
                        name, topic -> new DedupTopic(DedupScope.of(consumer, topic), policy(topic)));
    }

    DedupPolicy policy(String topic) {
        return policies.getOrDefault(topic, defaults);
    }
}
