package io.dedup.kafka.internal.consumer;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * The consumers of one container, by their threads, as spring-kafka's own failure tracking finds them: a simple listener isn't
 * given its consumer, and an error handler is asked about its kind without one. Thread-safe.
 */
public final class BoundConsumers {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final Map<Thread, BoundConsumer> consumers = new ConcurrentHashMap<>();

    public BoundConsumers(AbstractMessageListenerContainer<?, ?> container) {
        this.container = container;
    }

    /** This consumer is the one of this thread, from now on. */
    public void add(BoundConsumer consumer) {
        consumers.keySet().removeIf(thread -> !thread.isAlive()); // the end of some consumers isn't told
        consumers.put(Thread.currentThread(), consumer);
    }

    /** Forgets this thread's consumer and returns it, if there is one. */
    public @Nullable BoundConsumer remove() {
        return consumers.remove(Thread.currentThread());
    }

    /** This thread's consumer. An error where there is none: an exception would have the record given up. */
    public BoundConsumer current() {
        BoundConsumer bound = currentOrNull();
        if (bound == null) {
            throw new UnboundListenerError(
                    "the listener that KafkaDedup decorated for container " + container.getListenerId()
                            + " is called by something that hides it from the container: decorate last");
        }
        return bound;
    }

    public @Nullable BoundConsumer currentOrNull() {
        return consumers.get(Thread.currentThread());
    }

    /** Something left the container's loop over what this thread's consumer has polled: the records may be dropped. */
    public void disturbed() {
        BoundConsumer bound = currentOrNull();
        if (bound != null) {
            bound.outstanding().disturbed();
        }
    }

    /** Stops the container, with nothing acked. */
    private static final class UnboundListenerError extends Error {
        private static final long serialVersionUID = 1L;

        UnboundListenerError(String message) {
            super(message);
        }
    }
}
