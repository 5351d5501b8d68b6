package io.dedup.kafka.internal.listener;

import io.dedup.kafka.internal.poll.PartitionMoves;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * The callbacks that a decorated listener passes on from its container and its consumers; those of a consumer are
 * called on its thread.
 */
public interface ContainerLifecycle extends PartitionMoves {
    /**
     * The container is starting; called on the thread that starts it.
     *
     * @throws IllegalStateException when it cannot be run safely
     */
    void starting();

    /** A consumer has started, before its first poll. */
    void consumerStarted(ConsumerSeekCallback seeks);

    /** The consumer has ended. */
    void consumerStopped();
}
