package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.util.LinkedHashMap;
import java.util.Map;

/** A listener that is deduplicated, and the deduplicator that serves it. */
public record DeduplicatedListener(PlannedListener listener, ServingDeduplicator servedBy) implements Served {
    @Override
    public String name() {
        return listener.spec().name();
    }

    @Override
    public String consumer() {
        return listener.consumer();
    }

    @Override
    public Map<String, TopicPlan> plans() {
        Map<String, TopicPlan> plans = new LinkedHashMap<>(listener.byTopic());
        if (listener.byPattern() != null) {
            plans.put("/" + listener.spec().pattern() + "/", listener.byPattern());
        }
        return plans;
    }
}
