package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.internal.plan.PlannedPath;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A path whose requests are deduplicated, and the deduplicator that serves it. */
public record DeduplicatedPath(PlannedPath path, ServingDeduplicator servedBy) implements Served {
    /** In place of a broker. */
    static final String BROKER = "HTTP";

    @Override
    public String name() {
        return path.name();
    }

    @Override
    public String consumer() {
        return path.consumer();
    }

    @Override
    public Map<String, TopicPlan> plans() {
        return Map.of(path.topic(), path.plan());
    }

    @Override
    public @Nullable TopicPlan plan(String topic) {
        return topic.equals(path.topic()) ? path.plan() : null;
    }
}
