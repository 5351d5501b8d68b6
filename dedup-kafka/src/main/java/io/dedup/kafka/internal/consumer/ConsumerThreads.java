package io.dedup.kafka.internal.consumer;

import io.dedup.kafka.internal.poll.WatchedPolls;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Finds the consumer that runs on a thread. This is needed because a simple listener isn't given its consumer, an error
 * handler is asked for its properties without one, and a Kafka consumer exists before its container reports it to the
 * listener. spring-kafka's own failure tracking works the same way. Nothing else in this module is looked up by thread.
 * Thread-safe.
 */
public final class ConsumerThreads {
    private record Running(BoundConsumers container, BoundConsumer consumer) {}

    private final Map<Thread, Running> consumers = new ConcurrentHashMap<>();

    /** Binds the consumer to the current thread. */
    void add(BoundConsumers container, BoundConsumer consumer) {
        consumers.keySet().removeIf(thread -> !thread.isAlive()); // the end of some consumers isn't reported
        consumers.put(Thread.currentThread(), new Running(container, consumer));
    }

    /** Removes and returns this thread's consumer, of whichever container and decorator; null if there is none. */
    @Nullable
    BoundConsumer remove() {
        Running running = consumers.remove(Thread.currentThread());
        return running == null ? null : running.consumer();
    }

    /** Returns this thread's consumer if it belongs to this container; otherwise null. */
    @Nullable
    BoundConsumer of(BoundConsumers container) {
        Running running = consumers.get(Thread.currentThread());
        return running == null || running.container() != container ? null : running.consumer();
    }

    /** Returns the hooks around the polls of this thread's consumer; null if there is none. */
    public @Nullable WatchedPolls polls() {
        Running running = consumers.get(Thread.currentThread());
        return running == null ? null : running.consumer().watched();
    }
}
