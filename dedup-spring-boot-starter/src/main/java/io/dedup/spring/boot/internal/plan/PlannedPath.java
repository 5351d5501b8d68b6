package io.dedup.spring.boot.internal.plan;

/**
 * A path whose requests are deduplicated.
 *
 * @param name its key in {@code dedup.http.paths}
 * @param sameEffectAsListeners whether its handler does what listeners of the topic do, so that they share their records
 */
public record PlannedPath(String name, String consumer, String topic, TopicPlan plan, boolean sameEffectAsListeners) {
    /** The property of its entry. */
    public String property() {
        return property(name);
    }

    /** The property of an entry with this name, which may have slashes. */
    public static String property(String name) {
        return "dedup.http.paths.\"[" + name + "]\"";
    }
}
