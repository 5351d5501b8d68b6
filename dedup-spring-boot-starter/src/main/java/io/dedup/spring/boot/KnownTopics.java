package io.dedup.spring.boot;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Names of all listeners and of the topics that they read, deduplicated or not. Thread-safe. */
final class KnownTopics {
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> listeners = ConcurrentHashMap.newKeySet();

    private volatile boolean later;

    void add(ListenerSpec spec) {
        topics.addAll(spec.topics());
        listeners.add(spec.name());
    }

    /** A listener that doesn't know what it reads. */
    void addListener(String name) {
        listeners.add(name);
    }

    /** A listener that is deduplicated, by whatever topics its messages come from. */
    void addLater() {
        later = true;
    }

    /** Whether listeners may read topics that aren't known yet. */
    boolean moreComeLater() {
        return later;
    }

    Set<String> topics() {
        return Set.copyOf(topics);
    }

    Set<String> listeners() {
        return Set.copyOf(listeners);
    }
}
