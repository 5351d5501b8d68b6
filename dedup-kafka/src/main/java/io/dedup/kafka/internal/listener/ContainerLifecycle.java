package io.dedup.kafka.internal.listener;

import java.util.Collection;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/** What a decorated listener hears of its container and of its consumers; the callbacks of a consumer on its own thread. */
public interface ContainerLifecycle {
    /**
     * The container is starting, on the thread that starts it.
     *
     * @throws IllegalStateException when it can't be run safely
     */
    void starting();

    /** A consumer has started, before its first poll. */
    void consumerStarted(ConsumerSeekCallback seeks);

    /** The consumer has these partitions, too. */
    void assigned(Collection<TopicPartition> partitions);

    /** These partitions, or all with null, aren't the consumer's any more. */
    void revoked(@Nullable Collection<TopicPartition> partitions);

    /** The consumer has come to its end. */
    void consumerStopped();
}
