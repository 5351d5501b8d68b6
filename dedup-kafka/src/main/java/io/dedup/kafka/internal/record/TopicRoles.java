package io.dedup.kafka.internal.record;

import io.dedup.text.Printable;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.retrytopic.DestinationTopic;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;

/**
 * The role of each topic: its records are messages of that topic, retried messages of another topic, or dead letters of
 * another topic. Roles are configured, or read from the plan of {@code @RetryableTopic}; they are never guessed from
 * names or headers. Thread-safe.
 */
public final class TopicRoles {
    /** Where a listener's retry topics are listed, and for which topic. */
    private record Plan(DestinationTopicContainer destinations, String listener, String topic) {}

    /**
     * A topic's role.
     *
     * @param of the topic whose messages these are
     */
    public record Role(String of, boolean deadLetter) {}

    private final Map<String, Role> known = new ConcurrentHashMap<>();
    private final Map<String, Plan> plans = new ConcurrentHashMap<>();

    public TopicRoles(Map<String, Role> configured) {
        known.putAll(configured);
    }

    Role of(String topic) {
        Role role = find(topic);
        return role == null ? new Role(topic, false) : role;
    }

    /** The role from the configuration or from another topic's plan; null if there is none. */
    @Nullable
    public Role find(String topic) {
        Role role = known.get(topic);
        if (role == null && !plans.isEmpty()) {
            plans.values().forEach(this::read); // the plans are complete when the containers start
            role = known.get(topic);
        }
        return role;
    }

    /** Registers a listener's main topic, whose failed records are sent on to other topics. */
    public void plan(DestinationTopicContainer destinations, String listener, String topic) {
        plans.put(listener + "\n" + topic, new Plan(destinations, listener, topic));
    }

    private void read(Plan plan) {
        try {
            String topic = plan.topic;
            while (topic != null) {
                DestinationTopic next = plan.destinations.getNextDestinationTopicFor(plan.listener, topic);
                topic = !next.isNoOpsTopic() && put(next, plan.topic) ? next.getDestinationName() : null;
            }
        } catch (IllegalArgumentException | NullPointerException e) { // nothing is planned yet
            return;
        }
        plans.remove(plan.listener + "\n" + plan.topic, plan);
    }

    /** Returns false if the topic was known before. */
    private boolean put(DestinationTopic destination, String mainTopic) {
        String name = Objects.requireNonNull(destination.getDestinationName());
        Role role = new Role(mainTopic, destination.isDltTopic());
        Role before = known.putIfAbsent(name, role);
        if (before != null && !before.equals(role)) {
            throw new IllegalStateException("Topic " + Printable.of(name)
                    + " is a retry or dead-letter topic of both " + Printable.of(mainTopic) + " and "
                    + Printable.of(before.of())
                    + ". Set another retryTopicSuffix and dltTopicSuffix in one of their @RetryableTopic annotations");
        }
        return before == null;
    }
}
