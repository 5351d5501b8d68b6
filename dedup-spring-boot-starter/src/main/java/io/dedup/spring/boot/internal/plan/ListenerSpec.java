package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.ListenerProperties;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A listener as it was found.
 *
 * @param name listener ID (Kafka) or bean name (RocketMQ)
 * @param group null when it has none
 * @param topics what it is known to read
 * @param pattern by which it finds topics; null when it doesn't
 * @param annotation null when there is none
 */
public record ListenerSpec(
        String name,
        @Nullable String group,
        Set<String> topics,
        @Nullable Pattern pattern,
        @Nullable Deduplicated annotation) {
    /** What is said about how this listener alone is deduplicated. */
    public List<SettingsLayer> own(TopicPlans plans, AnnotationReader annotations) {
        List<SettingsLayer> own = new ArrayList<>();
        if (annotation != null) {
            add(own, annotations.read(annotation, name));
        }
        ListenerProperties entry = plans.listener(name);
        if (entry != null) {
            add(own, new SettingsLayer("dedup.listeners." + name, entry));
        }
        return own;
    }

    /** A name for its consumer, or its group, doesn't switch anything on. */
    private static void add(List<SettingsLayer> own, SettingsLayer layer) {
        if (!layer.isEmpty()) {
            own.add(layer);
        }
    }

    /**
     * Within which IDs are unique.
     *
     * @throws DedupConfigurationException when nothing tells
     */
    public String consumer(TopicPlans plans) {
        ListenerProperties entry = plans.listener(name);
        if (entry != null && entry.getConsumer() != null) {
            return entry.getConsumer();
        }
        if (group == null || group.isBlank()) {
            throw new DedupConfigurationException(
                    "listener " + name
                            + " has no consumer group, and so no name within which its message IDs are unique",
                    "Set dedup.listeners." + name + ".consumer, or give the listener a consumer group.");
        }
        return group;
    }
}
