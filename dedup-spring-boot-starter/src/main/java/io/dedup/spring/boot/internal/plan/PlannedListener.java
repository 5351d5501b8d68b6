package io.dedup.spring.boot.internal.plan;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A listener that is deduplicated.
 *
 * @param byTopic for the topics that it is known to read
 * @param byPattern for what it finds by its pattern; null when it has none
 */
public record PlannedListener(
        ListenerSpec spec,
        String consumer,
        Map<String, TopicPlan> byTopic,
        @Nullable TopicPlan byPattern) {
    /** Whether both may read the same topic. */
    public boolean overlaps(PlannedListener other) {
        return byPattern != null
                || other.byPattern != null
                || byTopic.keySet().stream().anyMatch(other.byTopic::containsKey);
    }
}
