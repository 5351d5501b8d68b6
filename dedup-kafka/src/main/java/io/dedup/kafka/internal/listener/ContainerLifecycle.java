package io.dedup.kafka.internal.listener;

import java.util.Collection;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * The callbacks that a decorated listener passes on from its container and its consumers; those of a consumer are
 * called on its thread.
 */
public interface ContainerLifecycle {
    /**
     * The container is starting; called on the thread that starts it.
     *
     * @throws IllegalStateException when it cannot be run safely
     */
    void starting();

    /** A consumer has started, before its first poll. */
    void consumerStarted(ConsumerSeekCallback seeks);

    /** The consumer was assigned these partitions in addition. */
    void assigned(Collection<TopicPartition> partitions);

    /** These partitions, or all if null, no longer belong to the consumer. */
    void revoked(@Nullable Collection<TopicPartition> partitions);

    /** The consumer has ended. */
    void consumerStopped();
}
