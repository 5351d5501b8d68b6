package io.dedup.kafka.internal.poll;

import io.dedup.adapter.poll.ClaimedPoll;
import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.record.RecordDeliveries;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/** Hooks the polls and commits of consumers for decorated listeners. Thread-safe. */
public final class PollHooks {
    private final Set<ConsumerFactory<?, ?>> factories = ConcurrentHashMap.newKeySet();
    private final Supplier<@Nullable WatchedPolls> ofThread;
    private final RecordDeliveries deliveries;

    /** @param ofThread the hooks of the consumer on the calling thread; null if it has no decorated listener */
    public PollHooks(Supplier<@Nullable WatchedPolls> ofThread, RecordDeliveries deliveries) {
        this.ofThread = ofThread;
        this.deliveries = deliveries;
    }

    /** From now on this factory's consumers can be watched. */
    public <K, V> void install(ConsumerFactory<K, V> factory) {
        if (factories.add(factory)) {
            ConsumerPostProcessor<K, V> wrap = consumer -> HookedConsumer.around(consumer, ofThread);
            factory.addPostProcessor(wrap);
        }
    }

    /**
     * Creates the hooks for the polls of one consumer of a container, from the first poll on.
     *
     * @param seeks the container's callback of this consumer
     * @param claims the claims of records whose turn hasn't come
     */
    public WatchedPolls watch(
            ConsumerSeekCallback seeks, ClaimedPoll claims, PendingDeliveries pending, Redeliveries redeliveries) {
        return new WatchedPolls(new ContainersConsumer(seeks, ofThread), claims, deliveries, pending, redeliveries);
    }
}
