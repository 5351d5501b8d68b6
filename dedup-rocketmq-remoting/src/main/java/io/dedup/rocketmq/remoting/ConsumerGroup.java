package io.dedup.rocketmq.remoting;

import io.dedup.engine.DedupEngine;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer group that reads in an engine's name. Thread-safe. */
final class ConsumerGroup {
    private static final Logger log = LoggerFactory.getLogger(RemotingDedup.class);

    private final String name;
    private final DedupEngine engine;

    ConsumerGroup(String name, DedupEngine engine) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("consumerGroup must not be blank");
        }
        this.name = name;
        this.engine = engine;
    }

    /** False, with an error in the log, when another group reads the topic under the same consumer name. */
    boolean mayRead(String topic) {
        String first = engine.firstGroup(topic, name);
        if (first.equals(name)) {
            return true;
        }
        log.error(
                "Group {} reads topic {}, which group {} reads under the same consumer name: each would take what the other"
                        + " has handled for duplicates, and lose it. Give each group a Deduplicator with a consumer name of"
                        + " its own. Until then its messages fail",
                name,
                topic,
                first);
        return false;
    }
}
