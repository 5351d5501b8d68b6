package io.dedup.kafka.clients.internal.turn;

import org.apache.kafka.common.TopicPartition;

/**
 * The polled records of one partition. It may be cut: then no later record of it is handled before the next poll. Not
 * thread-safe.
 */
public final class PolledPartition {
    private final TopicPartition partition;
    private boolean cut;

    PolledPartition(TopicPartition partition) {
        this.partition = partition;
    }

    TopicPartition partition() {
        return partition;
    }

    void cut() {
        cut = true;
    }

    boolean isCut() {
        return cut;
    }
}
