package io.dedup.adapter;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A consumer group that reads topics under the consumer name of an engine. Two groups must not read one topic under the
 * same consumer name; see {@link DedupAdapter#firstGroup}. Thread-safe.
 */
public final class ConsumerGroup {
    private static final Logger log = LoggerFactory.getLogger(ConsumerGroup.class);

    private final String name;
    private final DedupAdapter engine;

    /**
     * Creates a group.
     *
     * @throws IllegalArgumentException if the name is blank
     */
    public ConsumerGroup(String name, DedupAdapter engine) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("consumerGroup must not be blank");
        }
        this.name = name;
        this.engine = engine;
    }

    /**
     * Whether this group may read the topic. If another group reads it under the same consumer name, logs an error and
     * returns false.
     */
    public boolean mayRead(String topic) {
        String first = engine.firstGroup(topic, name);
        if (first.equals(name)) {
            return true;
        }
        log.error("{} Until then the broker redelivers this group's messages of the topic.", refusal(topic, first));
        return false;
    }

    /**
     * Registers that this group reads the topic.
     *
     * @throws IllegalStateException if another group reads it under the same consumer name
     */
    public void require(String topic) {
        String first = engine.firstGroup(topic, name);
        if (!first.equals(name)) {
            throw new IllegalStateException(refusal(topic, first));
        }
    }

    private String refusal(String topic, String first) {
        return "Consumer groups " + first + " and " + name + " read topic " + topic
                + " under the same consumer name: each would skip as duplicates the messages that only the other has"
                + " handled. Use a Deduplicator with a different consumer name for each group.";
    }
}
