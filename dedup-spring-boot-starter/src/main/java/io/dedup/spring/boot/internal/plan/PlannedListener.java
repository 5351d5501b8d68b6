package io.dedup.spring.boot.internal.plan;

import io.dedup.spring.boot.DedupConfigurationException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
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

    /**
     * How a listener is deduplicated; null when it isn't.
     *
     * @throws DedupConfigurationException when it can't be told, or only for a part of its topics
     */
    public static @Nullable PlannedListener of(ListenerSpec spec, TopicPlans plans, AnnotationReader annotations) {
        List<SettingsLayer> own = spec.own(plans, annotations);
        if (spec.pattern() != null) {
            TopicPlan plan = plans.plan(spec.name(), spec.pattern(), own);
            return plan == null ? null : new PlannedListener(spec, spec.consumer(plans), Map.of(), plan);
        }
        Map<String, TopicPlan> byTopic = new LinkedHashMap<>();
        List<String> others = new ArrayList<>();
        for (String topic : spec.topics()) {
            TopicPlan plan = plans.plan(topic, own);
            if (plan == null) {
                others.add(topic);
            } else {
                byTopic.put(topic, plan);
            }
        }
        if (byTopic.isEmpty()) {
            return null;
        }
        if (!others.isEmpty()) {
            throw new DedupConfigurationException(
                    "listener " + spec.name() + " reads " + byTopic.keySet() + ", which are deduplicated, and " + others
                            + ", which aren't",
                    "Configure " + others + " in dedup.topics as well, or give them a listener of their own.");
        }
        return new PlannedListener(spec, spec.consumer(plans), byTopic, null);
    }

    /** Whether one deduplicator can serve both: what both read is treated alike. */
    boolean goesWith(PlannedListener other) {
        if (byPattern != null || other.byPattern != null || !consumer.equals(other.consumer)) {
            return false;
        }
        return byTopic.entrySet().stream().allMatch(entry -> {
            TopicPlan theirs = other.byTopic.get(entry.getKey());
            return theirs == null || theirs.isLike(entry.getValue());
        });
    }

    /** Whether both may read the same topic. */
    public boolean overlaps(PlannedListener other) {
        return byPattern != null
                || other.byPattern != null
                || byTopic.keySet().stream().anyMatch(other.byTopic::containsKey);
    }
}
