package io.dedup.testkit.plan;

import io.dedup.testkit.replay.TopicMessage;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What a broker has to offer for a fault plan: messages to send, and the consumer group that handles them. Thread-safe.
 *
 * @see io.dedup.testkit.kafka.KafkaTraffic
 */
public interface Traffic extends AutoCloseable {
    /** For texts: the topic and the group. */
    String description();

    /** The business ID of a message, or null when it has no usable one. */
    @Nullable
    String id(int number);

    /**
     * Sends a message; called again with the same number, a copy of it.
     *
     * @param place decides where it goes, if it may go anywhere; not negative
     * @return where it is, as soon as the broker has it
     */
    CompletableFuture<TopicMessage> send(int number, int place);

    /** Those of the messages that the group hasn't acked, by what the broker says now. */
    List<TopicMessage> unacked(Collection<TopicMessage> messages);

    /** The members of the group, by names that aren't used again; without {@link #visit guests}. */
    Set<String> members();

    /** Whether the group's members know who has what: in the middle of a rebalance a fault hits nobody at work. */
    boolean isSettled();

    /**
     * Joins the group, takes what it is given, handles nothing, and leaves.
     *
     * @param stay for how long
     */
    void visit(Duration stay);

    /** What the application has given up, as far as that is known. */
    List<TopicMessage> deadLetters();

    /** Frees clients that were opened for this. */
    @Override
    void close();
}
