package io.dedup.rocketmq;

import io.dedup.Deduplicator;
import io.dedup.adapter.ConsumerGroup;
import io.dedup.adapter.DedupAdapter;
import io.dedup.adapter.inplace.InPlaceRunner;
import io.dedup.rocketmq.internal.listener.ListenerInvoker;
import io.dedup.rocketmq.internal.listener.MessageDeliveries;
import io.dedup.rocketmq.internal.loop.ConsumerLoop;
import io.dedup.rocketmq.internal.push.DedupPushListener;
import java.util.Objects;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;

/**
 * Makes RocketMQ consumers idempotent: each business message takes effect once within its deduplication window.
 *
 * <p>Thread-safe. Owns nothing. Close it first, which only bounds its waits, then the consumers, then the
 * {@link Deduplicator}. A message that reaches a closed deduplicator waits in place for a while, and then fails.
 */
public final class RocketMqDedup implements AutoCloseable {
    private final Deduplicator deduplicator;
    private final MessageDeliveries deliveries;
    private final InPlaceRunner waits;

    RocketMqDedup(Deduplicator deduplicator, MessageDeliveries deliveries, InPlaceRunner waits) {
        this.deduplicator = deduplicator;
        this.deliveries = deliveries;
        this.waits = waits;
    }

    /** A builder on top of a deduplicator, whose policies apply topic by topic. */
    public static RocketMqDedupBuilder builder(Deduplicator deduplicator) {
        return new RocketMqDedupBuilder(deduplicator);
    }

    /**
     * A listener for a push consumer, FIFO, lite or neither, that gives the other one each new message and acks
     * duplicates.
     *
     * @param consumerGroup of the push consumer; groups that read the same topic need deduplicators of their own, with
     *     different consumer names
     * @throws IllegalArgumentException when the group is blank, or the listener is decorated already
     */
    public MessageListener decorate(String consumerGroup, MessageListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof DedupPushListener) {
            throw new IllegalArgumentException("listener is decorated already: it would wait for its own claim");
        }
        return decorate(consumerGroup, (message, context) -> listener.consume(message));
    }

    /** As {@link #decorate(String, MessageListener)}, for a listener that wants to know about its run. */
    public MessageListener decorate(String consumerGroup, ContextMessageListener listener) {
        return new DedupPushListener(
                new ConsumerGroup(consumerGroup, DedupAdapter.of(deduplicator)),
                new ListenerInvoker(Objects.requireNonNull(listener, "listener")::consume),
                deliveries,
                waits);
    }

    /**
     * A loop that receives from a simple consumer and gives the listener each new message.
     *
     * @param consumer stays the caller's, who closes it after the loop; nobody else may receive from it meanwhile
     * @throws IllegalArgumentException when the listener is decorated already
     */
    public SimpleConsumerLoopBuilder loop(SimpleConsumer consumer, MessageListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof DedupPushListener) {
            throw new IllegalArgumentException("listener is decorated already: it would wait for its own claim");
        }
        return loop(consumer, (message, context) -> listener.consume(message));
    }

    /** As {@link #loop(SimpleConsumer, MessageListener)}, for a listener that wants to know about its run. */
    public SimpleConsumerLoopBuilder loop(SimpleConsumer consumer, ContextMessageListener listener) {
        Objects.requireNonNull(consumer, "consumer");
        ConsumerGroup group = new ConsumerGroup(consumer.getConsumerGroup(), DedupAdapter.of(deduplicator));
        ListenerInvoker invoker = new ListenerInvoker(Objects.requireNonNull(listener, "listener")::consume);
        return new SimpleConsumerLoopBuilder(settings -> ConsumerLoop.start(
                consumer, DedupAdapter.of(deduplicator), group, invoker, deliveries, waits, settings));
    }

    /**
     * Bounds the waits of push consumers for messages that are in flight elsewhere, and for the store: after
     * {@link RocketMqDedupBuilder#waitAfterClose} these messages fail, and are redelivered. Without it,
     * {@code PushConsumer.close()} would wait for them as long as they do. Returns at once. Messages are still handled afterwards,
     * since a consumer that closes goes through what it has received.
     */
    @Override
    public void close() {
        waits.end();
    }
}
