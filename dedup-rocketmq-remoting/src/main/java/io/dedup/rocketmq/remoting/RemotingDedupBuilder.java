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

/** Settings of a {@link RemotingDedup}. Not thread-safe. */
public final class RemotingDedupBuilder {
    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super MessageExt>> byTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super MessageExt> byDefault;
    private @Nullable Duration maxWait;
    private Duration waitAfterClose = InPlaceRunner.DEFAULT_WAIT_AFTER_END;

    RemotingDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /** Finds the ID in the messages of all topics that have no extractor of their own; see {@link RemotingMessageIds}. */
    public RemotingDedupBuilder id(MessageIdExtractor<? super MessageExt> extractor) {
        if (byDefault != null) {
            throw new IllegalArgumentException("id: the default extractor is set twice");
        }
        byDefault = Objects.requireNonNull(extractor, "id");
        return this;
    }

    /** Finds the ID in the messages of one topic. */
    public RemotingDedupBuilder id(String topic, MessageIdExtractor<? super MessageExt> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id: the extractor of topic " + topic + " is set twice");
        }
        return this;
    }

    /**
     * How long a consumer's thread waits with messages that can't be decided now, because they are in flight elsewhere or
     * the store doesn't answer; in one call of the listener, however many messages it brings. After that they are sent
     * back, or the queue is suspended, which spends one of their attempts. By default the topic's
     * {@link DedupPolicy#maxProcessingTime} and its lease, after which whoever had the message has finished or lost it.
     *
     * <p>Never more than two thirds of {@link DefaultMQPushConsumer#getConsumeTimeout()}, after which the client sends a
     * message back on its own: 10 minutes by its default, and where {@link RemotingDedup} doesn't see the consumer.
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
     * How long the messages that can't be decided wait after {@link RemotingDedup#close}, all of them together; after that they are sent back
     * at once. A consumer that is being closed goes on receiving for a while: what failed at once would be delivered
     * again at once, and each time spend an attempt. Closing the consumer takes up to this time longer. 40 s by default.
     *
     * <p>Counts from the end of the {@link Deduplicator} instead where that is closed first, which it shouldn't be.
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
     * The decorator.
     *
     * @throws IllegalArgumentException when there is no extractor at all
     */
    public RemotingDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "id must be set: nothing tells where the message ID is; see RemotingMessageIds");
        }
        return new RemotingDedup(
                deduplicator,
                new MessageDeliveries(deduplicator, byDefault, byTopic),
                new InPlaceRunner(DedupAdapter.of(deduplicator), maxWait, waitAfterClose));
    }
}
