package io.dedup.kafka.internal.deferral;

import io.dedup.DedupKey;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.exception.DeliveryDeferredException;
import io.dedup.kafka.internal.consumer.BoundConsumer;
import io.dedup.kafka.internal.consumer.BoundConsumers;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.spring.ConsumerSettings;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.KafkaException;
import org.springframework.kafka.KafkaException.Level;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Delays the redelivery of deferred records of one container. */
public final class DeferralBackOff {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final AbstractMessageListenerContainer<?, ?> container;
    private final BoundConsumers consumers;
    private final StorePauses pauses;

    public DeferralBackOff(
            DedupAdapter engine,
            RecordDeliveries deliveries,
            AbstractMessageListenerContainer<?, ?> container,
            BoundConsumers consumers,
            StorePauses pauses) {
        this.engine = engine;
        this.deliveries = deliveries;
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
        } else if (!consumers
                .current()
                .watched()
                .hold(from, deferral.partition(), deferral.retryAfter(), runOfThisProcess(deferral))) {
            InPlaceBackOff.await(from, deferral.retryAfter(), new ConsumerSettings(container).maxPollInterval());
        }
    }

    /**
     * Whether the run that a copy waits for goes on, if it is of this process: then its end also ends the hold. Null if
     * only the store knows.
     */
    private @Nullable BooleanSupplier runOfThisProcess(DeliveryDeferredException deferral) {
        if (deferral.reason() != DeferReason.IN_FLIGHT) {
            return null;
        }
        DedupKey key = deliveries.of(deferral.record()).key();
        return key != null && engine.isHandling(key) ? () -> engine.isHandling(key) : null;
    }
}
