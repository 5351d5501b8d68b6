package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.spring.HandlerMethods;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * Identifies the container's consumer among those that are used on its thread: a listener may use others of a hooked
 * factory, and poll them before the container's first poll.
 */
final class ContainersConsumer {
    private final ConsumerSeekCallback seeks;
    private final boolean hidden;
    private @Nullable ConsumerWrapper known;

    /**
     * Finds the consumer, if the callback reveals it.
     *
     * @param seeks the callback that the container passes to its listener
     */
    ContainersConsumer(ConsumerSeekCallback seeks) {
        this.seeks = seeks;
        hidden = ConsumerWrapper.isBare(seeks);
        known = hidden ? null : ConsumerWrapper.of(seeks);
    }

    /** If the callback doesn't reveal it, the first consumer that the container polls on this thread is the container's. */
    boolean is(ConsumerWrapper asking, boolean polls) {
        if (known == null && polls && !hidden && !isPolledElsewhere()) {
            known = asking;
        }
        return known == asking;
    }

    /** The Kafka consumer; null if it cannot be found. */
    @Nullable
    Consumer<?, ?> target() {
        return ConsumerWrapper.consumerOf(seeks) instanceof Consumer<?, ?> consumer
                ? ConsumerWrapper.unwatched(consumer)
                : null;
    }

    /** Whether somebody else polls it now; false if that cannot be found out. */
    boolean isPolledElsewhere() {
        return Boolean.FALSE.equals(containerPolls());
    }

    /** Whether the container polls it now, or has just done so; false if that cannot be found out. */
    boolean isPolledByContainer() {
        return Boolean.TRUE.equals(containerPolls());
    }

    private @Nullable Boolean containerPolls() {
        try {
            return read("polling") instanceof AtomicBoolean polling ? polling.get() : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Whether the container commits the consumer's positions; true if that cannot be found out. */
    boolean isFixingOffsets() {
        try {
            return !Boolean.FALSE.equals(read("fixTxOffsets"));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return true;
        }
    }

    /**
     * The records that the container keeps for later, because it was paused in the middle of a poll, or because its error
     * handler has left them. Null if that cannot be found out.
     */
    @Nullable
    ConsumerRecords<?, ?> kept() {
        try {
            return read("remainingRecords") instanceof ConsumerRecords<?, ?> records
                    ? records
                    : ConsumerRecords.empty();
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null;
        }
    }

    /** Reads a field of the container for which spring-kafka has no getter. */
    private @Nullable Object read(String field) throws ReflectiveOperationException {
        return HandlerMethods.read(seeks.getClass(), field, seeks);
    }
}
