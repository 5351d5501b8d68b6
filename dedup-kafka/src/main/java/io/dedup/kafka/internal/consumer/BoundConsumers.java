package io.dedup.kafka.internal.consumer;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/** The consumers of one container; {@link ConsumerThreads} knows which one runs here. Thread-safe. */
public final class BoundConsumers {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final ConsumerThreads threads;

    public BoundConsumers(AbstractMessageListenerContainer<?, ?> container, ConsumerThreads threads) {
        this.container = container;
        this.threads = threads;
    }

    /** This consumer is the one of this thread, from now on. */
    public void started(BoundConsumer consumer) {
        threads.add(this, consumer);
    }

    /** The consumer of this thread, if there is one, has come to its end. */
    public void stopped() {
        BoundConsumer bound = threads.remove();
        if (bound != null) {
            bound.end();
        }
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
        return threads.of(this);
    }

    /** The container has finished with these records of this thread's consumer. */
    public void finished(List<? extends ConsumerRecord<?, ?>> records) {
        BoundConsumer bound = currentOrNull();
        if (bound != null) {
            bound.outstanding().finished(records);
        }
    }

    /** An error handler that was given these has failed: the container drops those that it hasn't sought to. */
    public void dropped(List<? extends ConsumerRecord<?, ?>> records) {
        BoundConsumer bound = currentOrNull();
        if (bound != null) {
            bound.outstanding().dropped(records);
        }
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
