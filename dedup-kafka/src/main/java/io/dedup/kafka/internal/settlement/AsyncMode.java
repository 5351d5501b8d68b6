package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/**
 * How the records of a listener end that aren't done when it returns.
 *
 * @param endsWithFuture whether with what the handler returns; else with the acknowledgment, in any order ({@code asyncAcks})
 * @param automatic whether the user's ack mode leaves acknowledging to the container: where the handler returns nothing that
 *     ends later, its return is the end
 * @param limit how many records a consumer's handler may have at once
 */
public record AsyncMode(boolean endsWithFuture, boolean automatic, int limit) {
    /** Of a container with a listener that isn't decorated yet; null when its return is the end. Takes its acks over. */
    public static @Nullable AsyncMode of(AbstractMessageListenerContainer<?, ?> container, boolean declaredLater) {
        ContainerProperties properties = container.getContainerProperties();
        if (!(properties.getMessageListener() instanceof MessageListener<?, ?>)) {
            return null; // a batch is waited for
        }
        if (!declaredLater && !properties.isAsyncAcks()) {
            return null;
        }
        boolean automatic =
                properties.getAckMode() != AckMode.MANUAL && properties.getAckMode() != AckMode.MANUAL_IMMEDIATE;
        // The container would ack a failed record before it is retried, and commit what is above it.
        properties.setAsyncAcks(false);
        if (automatic) {
            properties.setAckMode(AckMode.MANUAL); // so does the container for such a listener
        }
        return new AsyncMode(
                declaredLater, automatic && declaredLater, new ConsumerSettings(container).maxPollRecords());
    }

    boolean returnEnds(BoundConsumer bound) {
        return automatic || !bound.commitsOffsets();
    }
}
