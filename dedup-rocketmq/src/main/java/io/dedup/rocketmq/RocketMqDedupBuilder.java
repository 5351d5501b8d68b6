package io.dedup.rocketmq;

import io.dedup.Deduplicator;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.id.MessageIdExtractor;
import io.dedup.policy.DedupPolicy;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.jspecify.annotations.Nullable;

/** Configures a {@link RocketMqDedup}. At least one {@code id} is required. Not thread-safe. */
public final class RocketMqDedupBuilder {
    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super MessageView>> byTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super MessageView> byDefault;
    private @Nullable Duration maxWait;
    private Duration waitAfterClose = InPlaceRunner.DEFAULT_WAIT_AFTER_END;

    RocketMqDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /**
     * Sets the ID extractor for all topics that have none of their own; see {@link RocketMqMessageIds}.
     *
     * @throws IllegalArgumentException when it is set twice
     */
    public RocketMqDedupBuilder id(MessageIdExtractor<? super MessageView> extractor) {
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
    public RocketMqDedupBuilder id(String topic, MessageIdExtractor<? super MessageView> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id(topic, extractor) was called twice for topic " + topic);
        }
        return this;
    }

    /**
     * How long a push consumer's thread waits with a message that is in flight elsewhere or for which the store doesn't
     * answer. After that the delivery fails, which uses up one of the message's delivery attempts; when all are used
     * up, the broker moves the message to the dead-letter queue. By default, the sum of the topic's
     * {@link DedupPolicy#maxProcessingTime} and lease, after which another consumer has finished the message or lost
     * its claim. A loop keeps a message in flight for as long; a message without an ID that
     * {@link DedupPolicy#missingIdLimit} defers waits for this and a lease at the broker.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public RocketMqDedupBuilder maxWait(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("maxWait must not be negative, but is " + wait);
        }
        maxWait = wait;
        return this;
    }

    /**
     * How long messages may wait after {@link RocketMqDedup#close}, all of them together; after that they fail at once.
     * 40 s by default. A closing consumer continues to receive for a while: a message that fails at once is redelivered
     * at once, and uses up a delivery attempt each time. Closing the consumer takes up to this time longer.
     *
     * <p>If the {@link Deduplicator} is closed first, which isn't recommended, the time counts from then.
     *
     * @throws IllegalArgumentException when it is negative
     */
    public RocketMqDedupBuilder waitAfterClose(Duration wait) {
        if (wait.isNegative()) {
            throw new IllegalArgumentException("waitAfterClose must not be negative, but is " + wait);
        }
        waitAfterClose = wait;
        return this;
    }

    /**
     * Creates the {@link RocketMqDedup}.
     *
     * @throws IllegalArgumentException when no ID extractor is set
     */
    public RocketMqDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "No message ID extractor is set: call id(extractor) or id(topic, extractor); see"
                            + " RocketMqMessageIds");
        }
        return new RocketMqDedup(
                deduplicator,
                new MessageDeliveries(deduplicator, byDefault, byTopic),
                new InPlaceRunner(DedupAdapter.of(deduplicator), maxWait, waitAfterClose));
    }
}
