package io.dedup.adapter;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer group that reads in an engine's name. Two groups on one topic must not do so under one consumer name, see
 * {@link DedupAdapter#firstGroup}. Thread-safe.
 */
public final class ConsumerGroup {
    private static final Logger log = LoggerFactory.getLogger(ConsumerGroup.class);

    private final String name;
    private final DedupAdapter engine;

    /**
     * A group.
     *
     * @throws IllegalArgumentException when the name is blank
     */
    public ConsumerGroup(String name, DedupAdapter engine) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("consumerGroup must not be blank");
        }
        this.name = name;
        this.engine = engine;
    }

    /** False, with an error in the log, when another group reads the topic under the same consumer name. */
    public boolean mayRead(String topic) {
        String first = engine.firstGroup(topic, name);
        if (first.equals(name)) {
            return true;
        }
        log.error("{} Until then its messages fail", refusal(topic, first));
        return false;
    }

    /**
     * Notes that the group reads the topic.
     *
     * @throws IllegalStateException when another group reads it under the same consumer name
     */
    public void require(String topic) {
        String first = engine.firstGroup(topic, name);
        if (!first.equals(name)) {
            throw new IllegalStateException(refusal(topic, first));
        }
    }

    private String refusal(String topic, String first) {
        return "Group " + name + " reads topic " + topic + ", which group " + first
                + " reads under the same consumer name: each would take what the other has handled for duplicates, and"
                + " lose it. Give each group a Deduplicator with a consumer name of its own.";
    }
}
