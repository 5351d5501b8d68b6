package io.dedup.testkit.replay;

import java.util.Collection;
import java.util.List;

/**
 * One topic as one consumer group reads it; what a broker has to offer for a {@link TopicReplay}. Not thread-safe unless
 * it says so.
 */
public interface BrokerTopic extends AutoCloseable {
    /** The topic's name. */
    String topic();

    /** The consumer group's name. */
    String group();

    /** All messages that are on the topic now, oldest first within each partition. */
    List<TopicMessage> messages();

    /** Those of the messages that the group hasn't acked, by what the broker says now. */
    List<TopicMessage> unacked(Collection<TopicMessage> messages);

    /** Sends copies, in this order, each to where its original is; returns when the broker has all of them. */
    void sendAgain(List<TopicMessage> copies);

    /**
     * Makes the group read again, from the earliest of the chosen messages of each partition on.
     *
     * @throws IllegalStateException when that can't be done; says what is missing
     */
    void rewind(List<TopicMessage> chosen);

    /** Frees clients that were opened for this; the application's stay. */
    @Override
    void close();
}
