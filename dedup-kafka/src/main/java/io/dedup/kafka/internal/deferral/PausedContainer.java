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
 * One container that is paused while the store doesn't answer, from the pause until all of its consumers continue.
 *
 * <p>With {@code pauseImmediate}, a consumer that notices the pause in the middle of a poll keeps the poll's other
 * records, and pauses the Kafka consumer before its next poll, unless the pause has ended by then. In that case it
 * would poll new records in addition to the kept ones, and spring-kafka would stop the container for good. In between
 * it commits, which may wait for the store. Therefore each consumer is resumed on its own, when its Kafka consumer is
 * paused or has no partitions: then it keeps no records that another poll could add to.
 *
 * <p>Thread-safe.
 */
final class PausedContainer {
    private final MessageListenerContainer container;
    private final long patienceNanos;
    /**
     * Held while the container is paused or resumed, so that it isn't paused between the check of its state and its
     * resumption.
     */
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

    /** The container should be paused from now on; {@link #pause} does it. */
    void want() {
        wanted = true;
    }

    /** The container should continue from now on; {@link #resume} does it. */
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

    /** Resumes what can be resumed safely. Returns whether everything continues; if not, call it again soon. */
    boolean resume() {
        if (!acting.tryLock()) { // a pause is in progress, which takes long while the container is stopping
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

    /** A consumer that hasn't polled for this long has lost its partitions, and the records that it keeps of them. */
    private boolean isOverdue() {
        return System.nanoTime() - unwantedAt > patienceNanos;
    }

    /** The consumers whose state must be checked. */
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
