package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.Deduplicated;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A listener as it was found.
 *
 * @param name listener ID (Kafka), bean name (RocketMQ), or class and method
 * @param group null when it has none; for a method its signature
 * @param cluster the addresses of its broker; null if they aren't known
 * @param topics what it is known to read
 * @param pattern by which it finds topics; null when it doesn't
 * @param annotation null when there is none
 */
public record ListenerSpec(
        String name,
        @Nullable String group,
        @Nullable String cluster,
        Set<String> topics,
        @Nullable Pattern pattern,
        @Nullable Deduplicated annotation) {
    /** One that finds no topics by a pattern, and whose broker isn't known. */
    public ListenerSpec(String name, @Nullable String group, Set<String> topics, @Nullable Deduplicated annotation) {
        this(name, group, null, topics, null, annotation);
    }

    /** Whether both are known to read from different clusters. */
    public boolean isElsewhere(ListenerSpec other) {
        return cluster != null && other.cluster != null && !cluster.equals(other.cluster);
    }
}
