package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.Deduplicator;
import io.dedup.spring.boot.internal.plan.PlannedListener;
import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A deduplicator and what it serves.
 *
 * @param broker {@code Kafka}, {@code RocketMQ}, {@code HTTP}, or {@code method} for methods that something else calls
 * @param topics the topics that it knows by name
 * @param others for all other topics; null when it serves none
 */
public record ServingDeduplicator(
        String broker,
        Deduplicator deduplicator,
        Map<String, TopicPlan> topics,
        @Nullable TopicPlan others) {

    /** Whether it handles all topics of the listener exactly as planned for the listener. */
    boolean serves(String itsBroker, PlannedListener listener) {
        if (!broker.equals(itsBroker)
                || others != null
                || listener.byPattern() != null
                || !deduplicator.consumer().equals(listener.consumer())) {
            return false;
        }
        return listener.byTopic().entrySet().stream().allMatch(entry -> {
            TopicPlan mine = topics.get(entry.getKey());
            return mine != null && mine.isLike(entry.getValue());
        });
    }

    /** The plan of a topic. */
    @Nullable
    public TopicPlan plan(String topic) {
        return topics.getOrDefault(topic, others);
    }
}
