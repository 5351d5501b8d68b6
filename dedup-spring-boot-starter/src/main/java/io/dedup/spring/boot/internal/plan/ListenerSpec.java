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
 * @param topics what it is known to read
 * @param pattern by which it finds topics; null when it doesn't
 * @param annotation null when there is none
 */
public record ListenerSpec(
        String name,
        @Nullable String group,
        Set<String> topics,
        @Nullable Pattern pattern,
        @Nullable Deduplicated annotation) {}
