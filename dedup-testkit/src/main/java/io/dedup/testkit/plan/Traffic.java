package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a fault plan and the consumer group that handles them, on any broker. Implementations are
 * thread-safe.
 *
 * @see io.dedup.testkit.kafka.KafkaTraffic
 */
public interface Traffic extends AutoCloseable {
    /** Returns the topic and the group, for messages to people. */
    String description();

    /** Returns the message ID of a message; null if it has no usable one. */
    @Nullable
    String id(int number);

    /**
     * Sends a message. A later call with the same number sends a copy of it.
     *
     * @param place selects the partition, if the message may go to any; not negative
     * @return completes with the message's position when the broker has it
     */
    CompletableFuture<TopicMessage> send(int number, int place);

    /** Returns those messages that the group hasn't acknowledged, according to the broker. */
    List<TopicMessage> unacked(Collection<TopicMessage> messages);

    /** Returns the members of the group, without {@link #visit guests}. Names must not be reused. */
    Set<String> members();

    /** Returns whether all partitions are assigned. During a rebalance, a fault would interrupt no work. */
    boolean isSettled();

    /**
     * Joins the group, is assigned partitions, handles nothing, and leaves.
     *
     * @param stay how long to stay with the partitions
     * @param atMost how long the group may take to assign them
     * @return whether partitions were assigned; if not, nothing was taken from the application
     */
    boolean visit(Duration stay, Duration atMost);

    /** Returns the messages that the application has given up, as far as that is known. */
    List<TopicMessage> deadLetters();

    /** Closes the clients that were opened for this. */
    @Override
    void close();
}
