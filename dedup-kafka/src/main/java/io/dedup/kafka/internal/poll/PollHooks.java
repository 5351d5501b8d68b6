package io.dedup.kafka.internal.poll;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ConsumerPostProcessor;

/**
 * Hooks the polls and commits of consumers for decorated listeners. One serves all, because an application's listeners share a factory:
 * with a hook for each of them, each consumer would be wrapped as often as there are listeners. Thread-safe.
 */
public final class PollHooks {
    private final Set<ConsumerFactory<?, ?>> factories = Collections.newSetFromMap(new WeakHashMap<>());
    private final Supplier<@Nullable WatchedPolls> ofThread;

    /** @param ofThread the hooks of the consumer on the calling thread; null if it has no decorated listener */
    public PollHooks(Supplier<@Nullable WatchedPolls> ofThread) {
        this.ofThread = ofThread;
    }

    /** From now on this factory's consumers can be watched. */
    public synchronized <K, V> void install(ConsumerFactory<K, V> factory) {
        if (factories.add(factory)) {
            ConsumerPostProcessor<K, V> wrap = consumer -> HookedConsumer.around(consumer, ofThread);
            factory.addPostProcessor(wrap);
        }
    }
}
