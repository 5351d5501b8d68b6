package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

    @Override
    public @Nullable TopicPlan plan(String topic) {
        TopicPlan named = listener.byTopic().get(topic);
        Pattern pattern = listener.spec().pattern();
        return named == null
                        && pattern != null
                        && isOfKafka(topic)
                        && pattern.matcher(topic).matches()
                ? listener.byPattern()
                : named;
    }

    /** Only Kafka's listeners find topics by patterns; a colon is part of somebody else's consumer name. */
    private static boolean isOfKafka(String topic) {
        return !topic.contains(":");
    }
}
