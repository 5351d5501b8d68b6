package io.dedup.spring.boot.internal.kafka.inbound;

import static java.util.Objects.requireNonNull;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.kafka.KafkaListeners;
import io.dedup.spring.boot.internal.kafka.KafkaListeners.Decorated;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.MessageListener;
import org.springframework.kafka.listener.adapter.FilteringBatchMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.RecordFilterStrategy;
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
     * @throws DedupConfigurationException when it cannot be deduplicated as configured
     */
    public boolean isDeduplicated(AbstractMessageListenerContainer<?, ?> container, String name) {
        return listeners.isDeduplicated(container, name);
    }

    /**
     * Decorates the container of a listener, if that is deduplicated. Its message listener and its error handler have to be set.
     *
     * @return what decorates it; null if it isn't deduplicated
     * @throws DedupConfigurationException when it cannot be deduplicated
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
        if (listener.channel() instanceof InterceptableChannel interceptable) {
            SendWatch watch = new SendWatch();
            Object target = container.getContainerProperties().getMessageListener();
            container.setupMessageListener(watched(target, watch, listener.name()));
            interceptable.addInterceptor(watch);
        }
    }

    /** Behind a filter: what that drops on purpose counts as handled. */
    private static Object watched(@Nullable Object target, SendWatch watch, String name) {
        if (target instanceof FilteringMessageListenerAdapter<?, ?> filter) {
            return behind(filter, watch, name);
        }
        if (target instanceof FilteringBatchMessageListenerAdapter<?, ?> filter) {
            return behind(filter, watch, name);
        }
        if (target instanceof BatchMessageListener<?, ?> batches) {
            return new WatchedBatchListener<>(batches, watch, name);
        }
        if (target instanceof MessageListener<?, ?> records) {
            return new WatchedRecordListener<>(records, watch, name);
        }
        throw new IllegalStateException("Not a listener of records or batches: " + target);
    }

    @SuppressWarnings("unchecked") // the field's type
    private static <K, V> Object behind(FilteringMessageListenerAdapter<K, V> filter, SendWatch watch, String name) {
        DirectFieldAccessor fields = new DirectFieldAccessor(filter); // there are no getters
        return new FilteringMessageListenerAdapter<>(
                new WatchedRecordListener<>(filter.getDelegate(), watch, name),
                (RecordFilterStrategy<K, V>) requireNonNull(fields.getPropertyValue("recordFilterStrategy")),
                Boolean.TRUE.equals(fields.getPropertyValue("ackDiscarded")));
    }

    @SuppressWarnings("unchecked") // the field's type
    private static <K, V> Object behind(
            FilteringBatchMessageListenerAdapter<K, V> filter, SendWatch watch, String name) {
        DirectFieldAccessor fields = new DirectFieldAccessor(filter); // there are no getters
        return new FilteringBatchMessageListenerAdapter<>(
                new WatchedBatchListener<>(filter.getDelegate(), watch, name),
                (RecordFilterStrategy<K, V>) requireNonNull(fields.getPropertyValue("recordFilterStrategy")),
                Boolean.TRUE.equals(fields.getPropertyValue("ackDiscarded")));
    }
}
