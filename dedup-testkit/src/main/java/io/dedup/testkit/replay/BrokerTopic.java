package io.dedup.testkit.replay;

import java.util.Collection;
import java.util.List;

/**
 * One topic as one consumer group reads it, for a {@link TopicReplay}; implemented for each broker. Implementations
 * needn't be thread-safe.
 */
public interface BrokerTopic extends AutoCloseable {
    /** Returns the topic's name. */
    String topic();

    /** Returns the consumer group's name. */
    String group();

    /** Returns all messages that are on the topic now, oldest first within each partition. */
    List<TopicMessage> messages();

    /** Returns those messages that the group hasn't acknowledged, according to the broker. */
    List<TopicMessage> unacked(Collection<TopicMessage> messages);

    /** Sends copies in this order, each to the partition of its original; returns when the broker has all of them. */
    void sendAgain(List<TopicMessage> copies);

    /**
     * Makes the group read each partition again from the earliest of its chosen messages on.
     *
     * @throws IllegalStateException when that isn't possible, or would read less than this; the message says what is
     *     missing
     */
    void rewind(List<TopicMessage> chosen);

    /** Closes the clients that were opened for this; the application's clients aren't affected. */
    @Override
    void close();
}
