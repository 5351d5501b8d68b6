package io.dedup.spring.boot.internal.plan;

import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A listener that is deduplicated.
 *
 * @param named whether its entry or its annotation gives the consumer name; otherwise the group does
 * @param byTopic for the topics that it is known to read
 * @param byPattern for what it finds by its pattern; null when it has none
 */
public record PlannedListener(
        ListenerSpec spec,
        String consumer,
        boolean named,
        Map<String, TopicPlan> byTopic,
        @Nullable TopicPlan byPattern) {
    /** Whether both may read the same topic. */
    public boolean overlaps(PlannedListener other) {
        return byPattern != null
                || other.byPattern != null
                || byTopic.keySet().stream().anyMatch(other.byTopic::containsKey);
    }

    /**
     * Whether messages that both may read can share their records: both have the same mode, and both or none compare payloads
     * and only watch.
     */
    public boolean canShareRecords(PlannedListener other) {
        return byTopic.entrySet().stream()
                        .allMatch(entry -> other.plansFor(entry.getKey()).allMatch(entry.getValue()::canShareRecords))
                && (byPattern == null || other.plans().allMatch(byPattern::canShareRecords));
    }

    /** Whether it may read the topic of a path. */
    public boolean overlaps(PlannedPath path) {
        return byPattern != null || byTopic.containsKey(path.topic());
    }

    /** Whether messages of a path's topic can share their records with its requests. */
    public boolean canShareRecords(PlannedPath path) {
        return plansFor(path.topic()).allMatch(path.plan()::canShareRecords);
    }

    private Stream<TopicPlan> plansFor(String topic) {
        return Stream.of(byTopic.get(topic), byPattern).filter(Objects::nonNull);
    }

    /** Of all topics that it may read. */
    public Stream<TopicPlan> plans() {
        return Stream.concat(byTopic.values().stream(), Stream.ofNullable(byPattern));
    }
}
