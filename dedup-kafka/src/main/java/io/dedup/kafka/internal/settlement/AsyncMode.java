package io.dedup.kafka.internal.settlement;

import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.spring.AckModes;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.MessageListener;

/**
 * How records of a listener end that aren't done when it returns.
 *
 * @param endsWithFuture true if a record ends with the future that the handler returns; false if it ends with its
 *     acknowledgment, in any order ({@code asyncAcks})
 * @param automatic whether the user's ack mode leaves acknowledging to the container: if the handler doesn't return
 *     work that ends later, its return ends the record
 * @param limit the maximum number of records that a consumer's handler may have at once
 */
public record AsyncMode(boolean endsWithFuture, boolean automatic, int limit) {
    /**
     * Returns the mode of a container whose listener isn't decorated yet; null if the listener's return ends each
     * record. Takes over the container's acknowledgments.
     */
    public static @Nullable AsyncMode of(AbstractMessageListenerContainer<?, ?> container, boolean declaredLater) {
        ContainerProperties properties = container.getContainerProperties();
        if (!(properties.getMessageListener() instanceof MessageListener<?, ?>)) {
            return null; // a batch is waited for
        }
        if (!declaredLater && !properties.isAsyncAcks()) {
            return null;
        }
        boolean automatic = !AckModes.isManual(properties);
        // The container would ack a failed record before it is retried, and commit the records above it.
        properties.setAsyncAcks(false);
        if (automatic) {
            properties.setAckMode(AckMode.MANUAL); // as the container does for such a listener
        }
        return new AsyncMode(
                declaredLater, automatic && declaredLater, new ConsumerSettings(container).maxPollRecords());
    }

    boolean returnEnds(BoundConsumer bound) {
        return automatic || !bound.commitsOffsets();
    }
}
