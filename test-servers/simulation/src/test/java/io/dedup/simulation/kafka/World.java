package io.dedup.simulation.kafka;

import io.dedup.simulation.kafka.SimulatedConsumer.Reset;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Where a script runs: a topic and a group on the real broker, or simulated ones. */
interface World extends AutoCloseable {
    /** Another consumer of the group. */
    Consumer<String, String> open(Reset reset, GroupProtocol protocol, int maxPollRecords);

    /** The group's committed offsets are the logs' beginnings. */
    void commitBeginnings();

    void append(TopicPartition partition, String value);

    /** Leaves two offsets without a record. */
    void gap(TopicPartition partition);

    void deleteRecords(TopicPartition partition, long below);

    /** Another member joins; the script polls meanwhile. Returns what it takes away. */
    Set<TopicPartition> otherJoins(Runnable poll);

    /** The other member leaves. */
    void otherLeaves();

    @Override
    void close();
}
