package io.dedup.spring.boot;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

/** Names of all listeners and of the topics that they read, deduplicated or not. Thread-safe. */
final class KnownTopics {
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> listeners = ConcurrentHashMap.newKeySet();

    private final List<Pattern> patterns = new CopyOnWriteArrayList<>();
    private volatile boolean later;

    void add(ListenerSpec spec) {
        topics.addAll(spec.topics());
        listeners.add(spec.name());
        if (spec.pattern() != null) {
            patterns.add(spec.pattern());
        }
    }

    /** A listener that doesn't know what it reads. */
    void addListener(String name) {
        listeners.add(name);
    }

    /** A listener whose topics come with their messages, since its consumer isn't a bean. */
    void addLater() {
        later = true;
    }

    /** Whether listeners may read topics that aren't known yet. */
    boolean moreComeLater() {
        return later;
    }

    /** Whether a listener subscribes to the topic, by its name or by a pattern. */
    boolean isRead(String topic) {
        return topics.contains(topic)
                || patterns.stream().anyMatch(pattern -> pattern.matcher(topic).matches());
    }

    /** By which listeners find topics. */
    List<Pattern> patterns() {
        return List.copyOf(patterns);
    }

    /** What listeners subscribe to, for messages: names, and patterns between slashes. */
    Set<String> subscriptions() {
        Set<String> all = new TreeSet<>(topics);
        patterns.forEach(pattern -> all.add("/" + pattern + "/"));
        return all;
    }

    Set<String> topics() {
        return Set.copyOf(topics);
    }

    Set<String> listeners() {
        return Set.copyOf(listeners);
    }
}
