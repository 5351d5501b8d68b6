package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.ack.PendingDeliveries;
import io.dedup.kafka.internal.ack.Redeliveries;
import io.dedup.kafka.internal.claimahead.ClaimedPoll;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ConsumerPostProcessor;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/** Lets decorated listeners see the polls and commits of their consumers. Thread-safe. */
public final class PollHooks {
    private final Set<ConsumerFactory<?, ?>> factories = ConcurrentHashMap.newKeySet();
    private final Supplier<@Nullable WatchedPolls> ofThread;

    /** @param ofThread those of the consumer that runs on the calling thread; null where no decorated listener does */
    public PollHooks(Supplier<@Nullable WatchedPolls> ofThread) {
        this.ofThread = ofThread;
    }

    /** From now on this factory's consumers can be watched. */
    public <K, V> void install(ConsumerFactory<K, V> factory) {
        if (factories.add(factory)) {
            ConsumerPostProcessor<K, V> wrap = consumer -> HookedConsumer.around(consumer, this);
            factory.addPostProcessor(wrap);
        }
    }

    @Nullable
    WatchedPolls ofThread() {
        return ofThread.get();
    }

    /**
     * For the polls of one consumer of a container, from the first on.
     *
     * @param seeks the container's callback of this consumer
     * @param claims what is claimed before its turn
     */
    public WatchedPolls watch(
            ConsumerSeekCallback seeks, ClaimedPoll claims, PendingDeliveries pending, Redeliveries redeliveries) {
        return new WatchedPolls(new ContainersConsumer(seeks, this), claims, pending, redeliveries);
    }
}
