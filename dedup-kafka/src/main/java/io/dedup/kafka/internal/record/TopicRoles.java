package io.dedup.kafka.internal.record;

import io.dedup.text.Printable;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.retrytopic.DestinationTopic;
import org.springframework.kafka.retrytopic.DestinationTopicContainer;

/**
 * What a topic's records are: messages of that topic, messages of another topic that are tried again, or dead letters of
 * another topic. Configured, or found in the plan of {@code @RetryableTopic}; never guessed from names or headers.
 * Thread-safe.
 */
public final class TopicRoles {
    /** Where a listener's retry topics are planned, and which topic they are for. */
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

    /** The role that another topic's plan gives this one, or the configuration; null when there is none. */
    @Nullable
    public Role find(String topic) {
        Role role = known.get(topic);
        if (role == null && !plans.isEmpty()) {
            plans.values().forEach(this::read); // filled by now, when the containers start
            role = known.get(topic);
        }
        return role;
    }

    /** A listener's main topic, whose records are sent on to others when they fail. */
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
        } catch (IllegalArgumentException | NullPointerException e) { // how it says that nothing is planned yet
            return;
        }
        plans.remove(plan.listener + "\n" + plan.topic, plan);
    }

    /** False when it was there before. */
    private boolean put(DestinationTopic destination, String mainTopic) {
        String name = Objects.requireNonNull(destination.getDestinationName());
        Role role = new Role(mainTopic, destination.isDltTopic());
        Role before = known.putIfAbsent(name, role);
        if (before != null && !before.equals(role)) {
            throw new IllegalStateException("topic " + Printable.of(name)
                    + " belongs to " + Printable.of(mainTopic) + " and to " + Printable.of(before.of())
                    + ": give one of their @RetryableTopic another retryTopicSuffix and dltTopicSuffix");
        }
        return before == null;
    }
}
