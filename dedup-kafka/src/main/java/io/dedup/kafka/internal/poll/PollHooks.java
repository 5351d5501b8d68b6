package io.dedup.kafka.internal.poll;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.ConsumerPostProcessor;

/**
 * Hooks the polls and commits of consumers for decorated listeners. One serves the process, because an application's listeners share a
 * factory: with one for each decorator, each consumer would be wrapped as often as there are consumer groups. Thread-safe.
 */
public final class PollHooks {
    private final ConsumerPostProcessor<Object, Object> hook;
    /** Those that don't show their post-processors, or ignore them. */
    private final Set<ConsumerFactory<?, ?>> closed =
            Collections.newSetFromMap(Collections.synchronizedMap(new WeakHashMap<>()));

    /** @param ofThread the hooks of the consumer on the calling thread; null if it has no decorated listener */
    public PollHooks(Supplier<@Nullable WatchedPolls> ofThread) {
        hook = consumer -> HookedConsumer.around(consumer, ofThread);
    }

    /** From now on this factory's consumers can be watched. A hook that is installed twice watches as one. */
    @SuppressWarnings("unchecked") // it knows nothing of keys and values
    public <K, V> void install(ConsumerFactory<K, V> factory) {
        if (factory.getPostProcessors().contains(hook) || closed.contains(factory)) {
            return;
        }
        factory.addPostProcessor((ConsumerPostProcessor<K, V>) (ConsumerPostProcessor<?, ?>) hook);
        if (!factory.getPostProcessors().contains(hook)) {
            closed.add(factory);
        }
    }
}
