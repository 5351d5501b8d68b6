package io.dedup.spring.boot.internal.plan;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;

/** Names of all listeners and of the topics that they read, deduplicated or not. Thread-safe. */
public final class KnownTopics {
    private final Set<String> topics = ConcurrentHashMap.newKeySet();
    private final Set<String> listeners = ConcurrentHashMap.newKeySet();

    private final List<Pattern> patterns = new CopyOnWriteArrayList<>();
    private volatile boolean moreTopics;

    public void add(ListenerSpec spec) {
        topics.addAll(spec.topics());
        listeners.add(spec.name());
        if (spec.pattern() != null) {
            patterns.add(spec.pattern());
        }
    }

    /** Adds a listener that doesn't know its topics. */
    public void addListener(String name) {
        listeners.add(name);
    }

    /** Notes that a listener's topics are only known with their first message, because its consumer isn't a bean. */
    public void expectMoreTopics() {
        moreTopics = true;
    }

    /** Whether listeners may read topics that aren't known yet. */
    public boolean expectsMoreTopics() {
        return moreTopics;
    }

    /** Whether a listener subscribes to the topic, by its name or by a pattern. */
    public boolean isRead(String topic) {
        return topics.contains(topic)
                || patterns.stream().anyMatch(pattern -> pattern.matcher(topic).matches());
    }

    /** The patterns by which listeners find topics. */
    public List<Pattern> patterns() {
        return List.copyOf(patterns);
    }

    /** What listeners subscribe to, for messages: names, and patterns between slashes. */
    public Set<String> subscriptions() {
        Set<String> all = new TreeSet<>(topics);
        patterns.forEach(pattern -> all.add("/" + pattern + "/"));
        return all;
    }

    public Set<String> topics() {
        return Set.copyOf(topics);
    }

    public Set<String> listeners() {
        return Set.copyOf(listeners);
    }
}
