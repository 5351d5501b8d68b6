package io.dedup.spring.boot.internal.kafka.inbound;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.kafka.KafkaListeners;
import io.dedup.spring.boot.internal.kafka.KafkaListeners.Decorated;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.FilteringBatchMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.InterceptableChannel;

/** Deduplicates listeners that send to a channel, before their containers start. Thread-safe. */
public final class InboundListeners {
    private final KafkaListeners listeners;

    public InboundListeners(KafkaListeners listeners) {
        this.listeners = listeners;
    }

    /**
     * Whether a listener is deduplicated.
     *
     * @throws DedupConfigurationException when it can't be deduplicated as configured
     */
    public boolean isDeduplicated(AbstractMessageListenerContainer<?, ?> container, String name) {
        return listeners.isDeduplicated(container, name);
    }

    /**
     * Decorates the container of a listener, if that is deduplicated. Its message listener and its error handler have to be set.
     *
     * @return what decorates it; null if it isn't deduplicated
     * @throws DedupConfigurationException when it can't be deduplicated
     */
    public @Nullable Decorated decorate(InboundListener listener) {
        AbstractMessageListenerContainer<?, ?> container = listener.container();
        Decorated decorated = listeners.serve(container, listener.name());
        if (decorated == null) {
            return null;
        }
        InboundRules.require(listener, decorated.served());
        ContainerProperties properties = container.getContainerProperties();
        if (!InboundRules.isInKafkaTransaction(properties)) {
            // In a manual ack mode only an acknowledgment counts, also after a failure.
            if (!InboundRules.isManual(properties)) {
                watch(container, listener);
            }
            CommonErrorHandler handler = container.getCommonErrorHandler();
            container.setCommonErrorHandler(new RecoveryErrorHandler(
                    handler == null ? new DefaultErrorHandler() : handler, // so does the container
                    listener.deadLetters()));
        }
        decorated.dedup().decorate(container);
        return decorated;
    }

    private static void watch(AbstractMessageListenerContainer<?, ?> container, InboundListener listener) {
        MessageChannel channel = listener.channel();
        Object target = container.getContainerProperties().getMessageListener();
        if (channel instanceof InterceptableChannel interceptable) {
            SendWatch watch = new SendWatch(target instanceof FilteringMessageListenerAdapter<?, ?>
                    || target instanceof FilteringBatchMessageListenerAdapter<?, ?>);
            if (target instanceof BatchMessageListener<?, ?> batches) {
                container.setupMessageListener(new WatchedBatchListener<>(batches, watch, listener.name()));
            } else if (target instanceof MessageListener<?, ?> records) {
                container.setupMessageListener(new WatchedRecordListener<>(records, watch, listener.name()));
            }
            interceptable.addInterceptor(watch);
        }
    }
}
