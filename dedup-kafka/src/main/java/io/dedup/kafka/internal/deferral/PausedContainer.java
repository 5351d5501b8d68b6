package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.internal.spring.ConsumerSettings;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * One container that is paused while the store doesn't answer, from the pause until all of its consumers go on.
 *
 * <p>With {@code pauseImmediate} a consumer that sees the pause in the middle of a poll keeps the poll's other records, and
 * pauses the Kafka consumer before its next poll, unless the pause has ended by then. It would poll new records beside those
 * that it keeps, and spring-kafka stops the container for good. In between it commits, for which it may wait for the store. So
 * each consumer is resumed on its own, when its Kafka consumer is paused or has no partitions: then it holds nothing that
 * another poll could add to.
 *
 * <p>Thread-safe.
 */
final class PausedContainer {
    private final MessageListenerContainer container;
    private final long patienceNanos;
    /** Held while the container is paused or resumed, so that a pause never falls between a look at it and its resumption. */
    private final ReentrantLock acting = new ReentrantLock();

    private volatile boolean wanted;
    private volatile long unwantedAt;

    PausedContainer(MessageListenerContainer container) {
        this.container = container;
        this.patienceNanos = container instanceof AbstractMessageListenerContainer<?, ?> known
                ? new ConsumerSettings(known).maxPollInterval().toNanos()
                : 0;
    }

    MessageListenerContainer container() {
        return container;
    }

    boolean isWanted() {
        return wanted;
    }

    /** From now on the container is to be paused; {@link #pause} does it. */
    void want() {
        wanted = true;
    }

    /** From now on the container is to go on; {@link #resume} does it. */
    void unwant() {
        unwantedAt = System.nanoTime();
        wanted = false;
    }

    /** Pauses the container if that is still wanted. */
    void pause() {
        acting.lock();
        try {
            if (wanted) {
                container.pause();
            }
        } finally {
            acting.unlock();
        }
    }

    /** Resumes what can be resumed safely. Returns whether all of it goes on; else this is to be called again soon. */
    boolean resume() {
        if (!acting.tryLock()) { // a pause is on its way; it takes long while the container is being stopped
            return false;
        }
        try {
            return !wanted && resumeConsumers();
        } finally {
            acting.unlock();
        }
    }

    private boolean resumeConsumers() {
        boolean all = true;
        if (!isOverdue()) {
            for (MessageListenerContainer consumer : consumers()) {
                if (!holdsNothing(consumer)) {
                    all = false;
                } else if (consumer != container && consumer.isPauseRequested()) {
                    consumer.resume();
                }
            }
        }
        if (all) {
            container.resume();
        }
        return all;
    }

    /** A consumer that hasn't polled for so long has lost its partitions, and what it keeps of them. */
    private boolean isOverdue() {
        return System.nanoTime() - unwantedAt > patienceNanos;
    }

    /** Those that have to be looked at. */
    private List<? extends MessageListenerContainer> consumers() {
        if (!(container instanceof AbstractMessageListenerContainer<?, ?> known)
                || !known.getContainerProperties().isPauseImmediate()) {
            return List.of();
        }
        return known instanceof ConcurrentMessageListenerContainer<?, ?> concurrent
                ? concurrent.getContainers()
                : List.of(known);
    }

    private static boolean holdsNothing(MessageListenerContainer consumer) {
        Collection<TopicPartition> partitions = consumer.getAssignedPartitions();
        return !consumer.isPauseRequested()
                || consumer.isContainerPaused()
                || !consumer.isRunning()
                || partitions == null
                || partitions.isEmpty();
    }
}
