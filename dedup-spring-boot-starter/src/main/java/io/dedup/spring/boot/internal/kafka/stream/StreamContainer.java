package io.dedup.spring.boot.internal.kafka.stream;

import org.springframework.cloud.stream.binder.ExtendedConsumerProperties;
import org.springframework.cloud.stream.binder.kafka.KafkaMessageChannelBinder;
import org.springframework.cloud.stream.binder.kafka.properties.KafkaConsumerProperties;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * A container that the binder has made for a binding.
 *
 * @param retriesInBinding whether the binder retries and dead-letters in the binding, as it does by default
 */
record StreamContainer(
        AbstractMessageListenerContainer<?, ?> container,
        KafkaMessageChannelBinder binder,
        ExtendedConsumerProperties<KafkaConsumerProperties> properties,
        boolean retriesInBinding) {

    /** The name of the binding, such as {@code process-in-0}. */
    String name() {
        return properties.getBindingName();
    }

    boolean isDeadLettering() {
        return properties.getExtension().isEnableDlq() && retriesInBinding;
    }

    /** The setting that makes the binder call the function again in place; null if it doesn't. */
    boolean isRetrying() {
        return retriesInBinding && !properties.isBatchMode() && properties.getMaxAttempts() > 1 && !isInTransaction();
    }

    boolean isInTransaction() {
        return container.getContainerProperties().getKafkaAwareTransactionManager() != null;
    }
}
