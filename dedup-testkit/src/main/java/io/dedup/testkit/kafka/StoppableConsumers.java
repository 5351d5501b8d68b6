package io.dedup.testkit.kafka;

/**
 * An application's consumers of one group, all of them, to be stopped while the group's offsets are changed: Kafka
 * refuses that as long as the group has a member. {@link SpringContainers} is one for spring-kafka.
 */
public interface StoppableConsumers {
    /** Stops them; returns when they have stopped, or soon will. */
    void stop();

    /** Starts them again. */
    void start();
}
