package io.dedup.spring.boot.internal.deduplicator;

import io.dedup.spring.boot.internal.plan.TopicPlan;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a deduplicator serves, as operators see it: a listener, or a path of requests. */
public sealed interface Served permits DeduplicatedListener, DeduplicatedPath {
    /** As it is configured in {@code dedup.listeners} or {@code dedup.http.paths}. */
    String name();

    String consumer();

    /** The deduplicator. */
    ServingDeduplicator servedBy();

    /** By topic; the pattern by which a listener finds topics is between slashes. */
    Map<String, TopicPlan> plans();

    /** The plan of a topic that it reads, by its name or by its pattern; null when it doesn't. */
    @Nullable
    TopicPlan plan(String topic);
}
