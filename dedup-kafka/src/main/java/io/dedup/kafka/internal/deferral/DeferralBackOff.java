package io.dedup.kafka.internal.deferral;

import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Delays the redelivery of deferred records of one container. */
public final class DeferralBackOff {
    private final AbstractMessageListenerContainer<?, ?> container;
    private final BoundConsumers consumers;
    private final StorePauses pauses;

    public DeferralBackOff(
            AbstractMessageListenerContainer<?, ?> container, BoundConsumers consumers, StorePauses pauses) {
        this.container = container;
        this.consumers = consumers;
        this.pauses = pauses;
    }

    /**
     * Delays a deferral that has reached the error handler. Returns the exception for the error handler to throw, so
     * that nothing else is committed.
     */
    KafkaException settle(DeliveryDeferredException deferral, MessageListenerContainer from) {
        BoundConsumer bound = consumers.currentOrNull();
        if (bound != null) {
            bound.deferred().arrived();
        }
        begin(deferral, from);
        return new KafkaException(String.valueOf(deferral.getMessage()), Level.DEBUG, deferral);
    }

    /**
     * Pauses the deferred record's partition; or the whole container, if the store is down and the policy asks for it.
     */
    void begin(DeliveryDeferredException deferral, MessageListenerContainer from) {
        if (deferral.pause() && !pauses.isClosed()) { // a closed one wouldn't end the pause
            pauses.pause(from);
        } else if (!consumers.current().watched().hold(from, deferral.partition(), deferral.retryAfter())) {
            InPlaceBackOff.await(from, deferral.retryAfter(), new ConsumerSettings(container).maxPollInterval());
        }
    }
}
