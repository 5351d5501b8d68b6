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

/** Settings of a {@link RocketMqDedup}. Not thread-safe. */
public final class RocketMqDedupBuilder {
    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super MessageView>> byTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super MessageView> byDefault;
    private @Nullable Duration maxWait;
    private Duration waitAfterClose = InPlaceRunner.DEFAULT_WAIT_AFTER_END;

    RocketMqDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /** Finds the ID in the messages of all topics that have no extractor of their own; see {@link RocketMqMessageIds}. */
    public RocketMqDedupBuilder id(MessageIdExtractor<? super MessageView> extractor) {
        if (byDefault != null) {
            throw new IllegalArgumentException("id: the default extractor is set twice");
        }
        byDefault = Objects.requireNonNull(extractor, "id");
        return this;
    }

    /** Finds the ID in the messages of one topic. */
    public RocketMqDedupBuilder id(String topic, MessageIdExtractor<? super MessageView> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id: the extractor of topic " + topic + " is set twice");
        }
        return this;
    }

    /**
     * How long a push consumer's thread waits with a message that can't be decided now, because it is in flight elsewhere
     * or the store doesn't answer. After that the delivery fails, which spends one of its attempts; enough of them take it
     * to the dead-letter queue. By default the topic's {@link DedupPolicy#maxProcessingTime} and its lease, after which
     * whoever had the message has finished or lost it.
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
     * How long the messages that can't be decided wait after {@link RocketMqDedup#close}, all of them together; after that they fail
     * at once. A consumer that is being closed goes on receiving for a while: what failed at once would be delivered
     * again at once, and each time spend an attempt. Closing the consumer takes up to this time longer. 40 s by default.
     *
     * <p>Counts from the end of the {@link Deduplicator} instead where that is closed first, which it shouldn't be.
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
     * The decorator.
     *
     * @throws IllegalArgumentException when there is no extractor at all
     */
    public RocketMqDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "id must be set: nothing tells where the message ID is; see RocketMqMessageIds");
        }
        return new RocketMqDedup(
                deduplicator,
                new MessageDeliveries(deduplicator, byDefault, byTopic),
                new InPlaceRunner(DedupAdapter.of(deduplicator), maxWait, waitAfterClose));
    }
}
