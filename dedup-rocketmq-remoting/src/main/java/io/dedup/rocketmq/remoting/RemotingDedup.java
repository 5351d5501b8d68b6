package io.dedup.rocketmq.remoting;

import io.dedup.Deduplicator;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.remoting.internal.DedupConcurrentListener;
import io.dedup.rocketmq.remoting.internal.DedupOrderlyListener;
import io.dedup.rocketmq.remoting.internal.MessageDeliveries;
import io.dedup.rocketmq.remoting.internal.MessageRunner;
import io.dedup.rocketmq.remoting.internal.ReplySender;
import io.dedup.rocketmq.remoting.internal.RequestHandler;
import io.dedup.rocketmq.remoting.internal.RequestRunner;
import java.time.Duration;
import java.util.Objects;
import org.apache.rocketmq.client.consumer.DefaultMQPushConsumer;
import org.apache.rocketmq.client.consumer.listener.MessageListener;
import org.apache.rocketmq.client.consumer.listener.MessageListenerConcurrently;
import org.apache.rocketmq.client.consumer.listener.MessageListenerOrderly;
import org.apache.rocketmq.common.ServiceState;
import org.apache.rocketmq.remoting.protocol.heartbeat.MessageModel;

/**
 * Makes consumers of RocketMQ's older client idempotent: each business message takes effect once within its
 * deduplication window.
 *
 * <p>The listener gets its messages one by one, whatever the consumer's batch size. Not for broadcasting, where each
 * consumer of a group handles each message.
 *
 * <p>Thread-safe. Owns neither the consumers nor the {@link Deduplicator}. At shutdown, first close this object, which
 * limits its waits, then the consumers, then the {@link Deduplicator}. If the deduplicator is closed first, messages
 * wait in place for a while and then fail.
 */
public final class RemotingDedup implements AutoCloseable {
    /**
     * Two thirds of the client's default consumeTimeout, after which the client sends a message back that is still
     * being handled.
     */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(10);

    /** The client's default. An orderly consumer then retries for ever. */
    private static final int UNLIMITED_ATTEMPTS = -1;

    private final Deduplicator deduplicator;
    private final MessageDeliveries deliveries;
    private final InPlaceRunner waits;

    RemotingDedup(Deduplicator deduplicator, MessageDeliveries deliveries, InPlaceRunner waits) {
        this.deduplicator = deduplicator;
        this.deliveries = deliveries;
        this.waits = waits;
    }

    /**
     * Returns a builder.
     *
     * @param deduplicator supplies the store, and the policy of each topic
     */
    public static RemotingDedupBuilder builder(Deduplicator deduplicator) {
        return new RemotingDedupBuilder(deduplicator);
    }

    /**
     * Replaces the consumer's listener by the decorated one. Use it for consumers that other code creates; it also
     * checks the consumer's settings.
     *
     * @param consumer not started yet; its listener, group, message model and consumeTimeout are set
     * @throws IllegalArgumentException when the consumer broadcasts, has no listener, its listener is decorated already,
     *     or it takes orderly batches with a limit of attempts, which the client would dead-letter as a whole
     * @throws IllegalStateException when the consumer is or was started
     */
    public void decorate(DefaultMQPushConsumer consumer) {
        Duration limit = requireDecoratable(consumer);
        deliveries.watch(consumer);
        MessageListener listener = consumer.getMessageListener();
        if (listener instanceof MessageListenerConcurrently plain) {
            consumer.registerMessageListener(concurrently(consumer.getConsumerGroup(), plain, limit));
        } else if (listener instanceof MessageListenerOrderly plain) {
            consumer.registerMessageListener(orderly(consumer.getConsumerGroup(), plain, limit));
        }
    }

    /**
     * Replaces the consumer's listener by one that handles requests and sends the replies. The reply is stored with the
     * record, and a duplicate request gets it again, without a run of the listener. A reply that is too long to be
     * stored is only sent by the run.
     *
     * @param consumer as for {@link #decorate(DefaultMQPushConsumer)}; its listener, which is replaced, decides whether it
     *     keeps the order of its queues
     * @throws IllegalArgumentException as {@link #decorate(DefaultMQPushConsumer)}
     * @throws IllegalStateException as {@link #decorate(DefaultMQPushConsumer)}
     */
    public void decorate(DefaultMQPushConsumer consumer, RequestListener listener) {
        Duration limit = requireDecoratable(consumer);
        deliveries.watch(consumer);
        DedupAdapter engine = DedupAdapter.of(deduplicator);
        RequestRunner requests = new RequestRunner(
                new ConsumerGroup(consumer.getConsumerGroup(), engine),
                engine,
                deliveries,
                new RequestHandler(
                        listener::reply, listener::delayLevelWhenNextConsume, listener::suspendCurrentQueueTimeMillis),
                new ReplySender(consumer, listener.replyTimeout()));
        if (consumer.getMessageListener() instanceof MessageListenerOrderly) {
            consumer.registerMessageListener(new DedupOrderlyListener(requests::orderly, waits, limit));
        } else {
            consumer.registerMessageListener(
                    new DedupConcurrentListener(requests::concurrently, deliveries::isUnrecorded, waits, limit));
        }
    }

    /** Checks a consumer's settings, and returns how long a call of its listener may wait. */
    private static Duration requireDecoratable(DefaultMQPushConsumer consumer) {
        if (consumer.getMessageModel() == MessageModel.BROADCASTING) {
            throw new IllegalArgumentException("messageModel of the consumer of group " + consumer.getConsumerGroup()
                    + " is BROADCASTING, where each consumer of the group handles each message: with deduplication"
                    + " only one of them would. Set it to CLUSTERING");
        }
        if (isStarted(consumer)) {
            throw new IllegalStateException("The consumer of group " + consumer.getConsumerGroup()
                    + " has been started, and keeps the listener that it was started with. Decorate it before"
                    + " its start");
        }
        MessageListener listener = consumer.getMessageListener();
        if (listener instanceof MessageListenerOrderly) {
            requireNoLimitedBatches(consumer);
        } else if (!(listener instanceof MessageListenerConcurrently)) {
            throw new IllegalArgumentException("The consumer of group " + consumer.getConsumerGroup()
                    + " has no messageListener. Set it before the consumer is decorated");
        }
        requirePlain(listener);
        return Duration.ofMinutes(consumer.getConsumeTimeout()).multipliedBy(2).dividedBy(3);
    }

    /**
     * Returns a listener that passes each new message to the given listener and acknowledges duplicates.
     *
     * @param consumerGroup the group of the consumer, which must not broadcast. Groups that read the same topic need
     *     separate deduplicators with different consumer names
     * @throws IllegalArgumentException when the group is blank, or the listener is decorated already
     */
    @SuppressWarnings("overloads") // as in the client itself: a lambda must be cast
    public MessageListenerConcurrently decorate(String consumerGroup, MessageListenerConcurrently listener) {
        return concurrently(consumerGroup, listener, LONGEST_WAIT);
    }

    /** As {@link #decorate(String, MessageListenerConcurrently)}, for a consumer that keeps the order of its queues. */
    @SuppressWarnings("overloads")
    public MessageListenerOrderly decorate(String consumerGroup, MessageListenerOrderly listener) {
        return orderly(consumerGroup, listener, LONGEST_WAIT);
    }

    private MessageListenerConcurrently concurrently(
            String consumerGroup, MessageListenerConcurrently listener, Duration limit) {
        requirePlain(listener);
        return DedupConcurrentListener.of(listener, runner(consumerGroup), waits, limit);
    }

    private MessageListenerOrderly orderly(String consumerGroup, MessageListenerOrderly listener, Duration limit) {
        requirePlain(listener);
        return DedupOrderlyListener.of(listener, runner(consumerGroup), waits, limit);
    }

    private MessageRunner runner(String consumerGroup) {
        return new MessageRunner(new ConsumerGroup(consumerGroup, DedupAdapter.of(deduplicator)), deliveries);
    }

    /** The client counts an attempt for each message of an orderly batch when one fails, and at the limit dead-letters all. */
    private static void requireNoLimitedBatches(DefaultMQPushConsumer consumer) {
        if (consumer.getConsumeMessageBatchMaxSize() > 1 && consumer.getMaxReconsumeTimes() != UNLIMITED_ATTEMPTS) {
            throw new IllegalArgumentException("consumer group " + consumer.getConsumerGroup()
                    + ": consumeMessageBatchMaxSize is " + consumer.getConsumeMessageBatchMaxSize()
                    + " and maxReconsumeTimes is " + consumer.getMaxReconsumeTimes()
                    + ". When one message of an orderly batch keeps failing, the client dead-letters the whole batch,"
                    + " also messages that were never handled. Set consumeMessageBatchMaxSize to 1, or leave"
                    + " maxReconsumeTimes at " + UNLIMITED_ATTEMPTS);
        }
    }

    private static void requirePlain(MessageListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof DedupConcurrentListener || listener instanceof DedupOrderlyListener) {
            throw new IllegalArgumentException(
                    "The listener is decorated already: decorated twice, it would wait for its own claim");
        }
    }

    @SuppressWarnings(
            "deprecation") // no other method shows it, and the decoration of a started consumer would be ignored
    // silently
    private static boolean isStarted(DefaultMQPushConsumer consumer) {
        return consumer.getDefaultMQPushConsumerImpl().getServiceState() != ServiceState.CREATE_JUST;
    }

    /**
     * Limits the waits for messages in flight elsewhere, and for the store: after
     * {@link RemotingDedupBuilder#waitAfterClose} these messages fail and are redelivered. Returns at once. Messages
     * are still handled afterwards, until the consumer is shut down.
     */
    @Override
    public void close() {
        waits.end();
    }
}
