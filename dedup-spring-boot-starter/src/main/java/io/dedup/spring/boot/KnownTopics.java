package io.dedup.spring.boot;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Names of all listeners and of the topics that they read, deduplicated or not. Thread-safe. */
final class KnownTopics {
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> listeners = ConcurrentHashMap.newKeySet();

    void add(ListenerSpec spec) {
        topics.addAll(spec.topics());
        listeners.add(spec.name());
    }

    Set<String> topics() {
        return Set.copyOf(topics);
    }

    Set<String> listeners() {
        return Set.copyOf(listeners);
    }
}
