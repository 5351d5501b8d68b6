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
 * <p>Thread-safe. Owns neither the consumers nor the {@link Deduplicator}. At shutdown, first close this object, which
 * limits its waits, then the consumers, then the {@link Deduplicator}. If the deduplicator is closed first, messages
 * wait in place for a while and then fail.
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

    /**
     * Returns a builder.
     *
     * @param deduplicator supplies the store, and the policy of each topic
     */
    public static RocketMqDedupBuilder builder(Deduplicator deduplicator) {
        return new RocketMqDedupBuilder(deduplicator);
    }

    /**
     * Returns a listener for a push consumer, a FIFO push consumer or a lite push consumer. It passes each new message
     * to the given listener and acknowledges duplicates.
     *
     * @param consumerGroup the group of the push consumer. Groups that read the same topic need separate deduplicators
     *     with different consumer names
     * @throws IllegalArgumentException when the group is blank, or the listener is decorated already
     */
    public MessageListener decorate(String consumerGroup, MessageListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof DedupPushListener) {
            throw new IllegalArgumentException(
                    "The listener is decorated already: decorated twice, it would wait for its own claim");
        }
        return decorate(consumerGroup, (message, context) -> listener.consume(message));
    }

    /** As {@link #decorate(String, MessageListener)}, for a listener that uses the context of its run. */
    public MessageListener decorate(String consumerGroup, ContextMessageListener listener) {
        return new DedupPushListener(
                new ConsumerGroup(consumerGroup, DedupAdapter.of(deduplicator)),
                new ListenerInvoker(Objects.requireNonNull(listener, "listener")::consume),
                deliveries,
                waits);
    }

    /**
     * Returns the builder of a loop that receives from a simple consumer and passes each new message to the listener.
     *
     * @param consumer owned by the caller, who closes it after the loop; nothing else may receive from it meanwhile
     * @throws IllegalArgumentException when the listener is decorated already
     */
    public SimpleConsumerLoopBuilder loop(SimpleConsumer consumer, MessageListener listener) {
        Objects.requireNonNull(listener, "listener");
        if (listener instanceof DedupPushListener) {
            throw new IllegalArgumentException(
                    "The listener is decorated already: decorated twice, it would wait for its own claim");
        }
        return loop(consumer, (message, context) -> listener.consume(message));
    }

    /** As {@link #loop(SimpleConsumer, MessageListener)}, for a listener that uses the context of its run. */
    public SimpleConsumerLoopBuilder loop(SimpleConsumer consumer, ContextMessageListener listener) {
        Objects.requireNonNull(consumer, "consumer");
        ConsumerGroup group = new ConsumerGroup(consumer.getConsumerGroup(), DedupAdapter.of(deduplicator));
        ListenerInvoker invoker = new ListenerInvoker(Objects.requireNonNull(listener, "listener")::consume);
        return new SimpleConsumerLoopBuilder(settings -> ConsumerLoop.start(
                consumer, DedupAdapter.of(deduplicator), group, invoker, deliveries, waits, settings));
    }

    /**
     * Limits the waits of push consumers for messages in flight elsewhere, and for the store: after
     * {@link RocketMqDedupBuilder#waitAfterClose} these messages fail and are redelivered. Otherwise
     * {@code PushConsumer.close()} would take as long as they wait. Returns at once. Messages are still handled
     * afterwards, because a closing consumer processes what it has received.
     */
    @Override
    public void close() {
        waits.end();
    }
}
