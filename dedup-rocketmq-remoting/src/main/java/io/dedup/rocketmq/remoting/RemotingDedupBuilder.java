package io.dedup.rocketmq.remoting;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupPolicy;
import io.dedup.rocketmq.remoting.internal.MessageDeliveries;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.common.message.MessageExt;
import org.jspecify.annotations.Nullable;

/** Configures a {@link RemotingDedup}. At least one {@code id} is required. Not thread-safe. */
public final class RemotingDedupBuilder {
    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super MessageExt>> byTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super MessageExt> byDefault;
    private @Nullable Duration maxWait;
    private Duration waitAfterClose = InPlaceRunner.DEFAULT_WAIT_AFTER_END;

    RemotingDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /**
     * Sets the ID extractor for all topics that have none of their own; see {@link RemotingMessageIds}.
     *
     * @throws IllegalArgumentException when it is set twice
     */
    public RemotingDedupBuilder id(MessageIdExtractor<? super MessageExt> extractor) {
        if (byDefault != null) {
            throw new IllegalArgumentException("id(extractor) was called twice");
        }
        byDefault = Objects.requireNonNull(extractor, "id");
        return this;
    }

    /**
     * Sets the ID extractor for one topic.
     *
     * @throws IllegalArgumentException when it is set twice for this topic
     */
    public RemotingDedupBuilder id(String topic, MessageIdExtractor<? super MessageExt> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id(topic, extractor) was called twice for topic " + topic);
        }
        return this;
    }

    /**
     * How long a consumer's thread waits with messages that are in flight elsewhere or for which the store doesn't
     * answer, in one call of the listener, however many messages it has. After that the messages are sent back, or the
     * queue is suspended, which uses up one of their delivery attempts. By default, the sum of the topic's
     * {@link DedupPolicy#maxProcessingTime} and lease, after which another consumer has finished the message or lost
     * its claim.
     *
     * <p>The wait is never longer than two thirds of {@link DefaultMQPushConsumer#getConsumeTimeout()}, after which the
     * client sends a message back on its own; with the client's default, and for consumers that {@link RemotingDedup}
     * doesn't see, that is 10 minutes.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public RemotingDedupBuilder maxWait(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, but is " + wait);
        }
        maxWait = wait;
        return this;
    }

    /**
     * How long messages may wait after {@link RemotingDedup#close}, all of them together; after that they are sent back
     * at once. 40 s by default. A closing consumer continues to receive for a while: a message that fails at once is
     * redelivered at once, and uses up a delivery attempt each time. Closing the consumer takes up to this time longer.
     *
     * <p>If the {@link Deduplicator} is closed first, which isn't recommended, the time counts from then.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public RemotingDedupBuilder waitAfterClose(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("waitAfterClose must not be negative, but is " + wait);
        }
        waitAfterClose = wait;
        return this;
    }

    /**
     * Creates the {@link RemotingDedup}.
     *
     * @throws IllegalArgumentException when no ID extractor is set
     */
    public RemotingDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "No message ID extractor is set: call id(extractor) or id(topic, extractor); see"
                            + " RemotingMessageIds");
        }
        return new RemotingDedup(
                deduplicator,
                new MessageDeliveries(deduplicator, byDefault, byTopic),
                new InPlaceRunner(DedupAdapter.of(deduplicator), maxWait, waitAfterClose));
    }
}
