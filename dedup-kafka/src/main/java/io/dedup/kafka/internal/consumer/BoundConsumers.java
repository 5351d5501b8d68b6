package io.dedup.kafka.internal.consumer;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/** The consumers of one container; {@link ConsumerThreads} finds the one that runs on a thread. Thread-safe. */
public final class BoundConsumers {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final ConsumerThreads threads;

    public BoundConsumers(AbstractMessageListenerContainer<?, ?> container, ConsumerThreads threads) {
        this.container = container;
        this.threads = threads;
    }

    /** Binds the consumer to the current thread. */
    public void started(BoundConsumer consumer) {
        threads.add(this, consumer);
    }

    /** The consumer of this thread, if there is one, has ended. */
    public void stopped() {
        BoundConsumer bound = threads.remove();
        if (bound != null) {
            bound.end();
        }
    }

    /**
     * Returns this thread's consumer. Throws an Error if there is none: an exception would make the container give up
     * the record.
     */
    public BoundConsumer current() {
        BoundConsumer bound = currentOrNull();
        if (bound == null) {
            throw new UnboundListenerError(
                    "The listener that KafkaDedup decorated for listener container " + container.getListenerId()
                            + " is called by another listener that hides it from the container. Set the listener first,"
                            + " then decorate");
        }
        return bound;
    }

    /** The callback for the user's listener, in place of the container's own. */
    public ConsumerSeekCallback watched(ConsumerSeekCallback ofContainer) {
        BoundConsumer bound = currentOrNull();
        return bound != null && bound.belongsTo(ofContainer) ? bound.watchedSeeks() : ofContainer;
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

    /** Runs an error handler. If it fails, the container drops those of its records that it hasn't sought to. */
    public void handlingError(List<? extends ConsumerRecord<?, ?>> records, Runnable handler) {
        BoundConsumer bound = currentOrNull();
        try {
            if (bound == null) {
                handler.run();
            } else {
                bound.watched().holding(() -> {
                    handler.run();
                    return records;
                });
            }
        } catch (RuntimeException e) {
            dropped(records);
            throw e;
        }
    }

    /** An error handler that was given these has ended: the container drops those that it hasn't sought to. */
    public void dropped(List<? extends ConsumerRecord<?, ?>> records) {
        BoundConsumer bound = currentOrNull();
        if (bound != null) {
            bound.outstanding().dropped(records);
        }
    }

    /**
     * An exception left the container's loop over the records that this thread's consumer has polled: the container may
     * drop them.
     */
    public void suspectDrop() {
        BoundConsumer bound = currentOrNull();
        if (bound != null) {
            bound.outstanding().suspectDrop();
        }
    }

    /** Stops the container without acknowledging anything. */
    private static final class UnboundListenerError extends Error {
        private static final long serialVersionUID = 1L;

        UnboundListenerError(String message) {
            super(message);
        }
    }
}
