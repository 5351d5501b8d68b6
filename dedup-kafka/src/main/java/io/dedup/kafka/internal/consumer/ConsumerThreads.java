package io.dedup.kafka.internal.consumer;

import io.dedup.kafka.internal.poll.WatchedPolls;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which consumer runs on which thread: a simple listener isn't given its consumer, an error handler is asked about its kind without
 * one, and a Kafka consumer is made before its container tells the listener of it. spring-kafka's own failure tracking does the
 * same. Nothing else in this module finds anything by a thread. Thread-safe.
 */
public final class ConsumerThreads {
    private record Running(BoundConsumers container, BoundConsumer consumer) {}

    private final Map<Thread, Running> consumers = new ConcurrentHashMap<>();

    /** This consumer is the one of this thread, from now on. */
    void add(BoundConsumers container, BoundConsumer consumer) {
        consumers.keySet().removeIf(thread -> !thread.isAlive()); // the end of some consumers isn't told
        consumers.put(Thread.currentThread(), new Running(container, consumer));
    }

    /** Forgets this thread's consumer and returns it, if there is one, whichever container's it is: that one runs no more. */
    @Nullable
    BoundConsumer remove() {
        Running running = consumers.remove(Thread.currentThread());
        return running == null ? null : running.consumer();
    }

    /** This thread's consumer, if it is this container's. */
    @Nullable
    BoundConsumer of(BoundConsumers container) {
        Running running = consumers.get(Thread.currentThread());
        return running == null || running.container() != container ? null : running.consumer();
    }

    /** The polls of this thread's consumer. */
    public @Nullable WatchedPolls polls() {
        Running running = consumers.get(Thread.currentThread());
        return running == null ? null : running.consumer().watched();
    }
}
