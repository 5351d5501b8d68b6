package io.dedup.testkit.kafka;

/**
 * All of an application's consumers of one group, which are stopped while the group's offsets are changed: Kafka
 * refuses to change them while the group has a member. {@link SpringContainers} is the implementation for spring-kafka.
 */
public interface StoppableConsumers {
    /** Stops the consumers; returns when they have stopped or will soon. */
    void stop();

    /** Starts the consumers again. */
    void start();
}
