package io.dedup.spring.boot.internal.kafka.inbound;

import static java.util.Objects.requireNonNull;

import io.dedup.spring.boot.DedupConfigurationException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.integration.kafka.inbound.KafkaInboundGateway;
import org.springframework.integration.kafka.inbound.KafkaMessageDrivenChannelAdapter;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;

/**
 * Deduplicates the inbound adapters of the application: once all channels are there, and before any of them starts. Thread-safe.
 */
public final class InboundAdapters implements BeanPostProcessor, SmartInitializingSingleton {
    private final Supplier<InboundListeners> listeners;
    private final Map<String, Object> waiting = new LinkedHashMap<>();
    private boolean complete;

    /** @param listeners asked when there is an adapter, because bean post-processors are made before most beans */
    public InboundAdapters(Supplier<InboundListeners> listeners) {
        this.listeners = listeners;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        if (bean instanceof KafkaMessageDrivenChannelAdapter<?, ?> || bean instanceof KafkaInboundGateway<?, ?, ?>) {
            added(name, bean);
        }
        return bean;
    }

    private synchronized void added(String name, Object bean) {
        if (complete) { // a flow that is registered while the application runs
            decorate(name, bean);
        } else {
            waiting.put(name, bean);
        }
    }

    @Override
    public synchronized void afterSingletonsInstantiated() {
        complete = true;
        waiting.forEach(this::decorate);
        waiting.clear();
    }

    private void decorate(String name, Object bean) {
        DirectFieldAccessor fields = new DirectFieldAccessor(bean); // there are no getters
        AbstractMessageListenerContainer<?, ?> container = (AbstractMessageListenerContainer<?, ?>)
                requireNonNull(fields.getPropertyValue("messageListenerContainer"));
        if (bean instanceof KafkaMessageDrivenChannelAdapter<?, ?> adapter) {
            var unused = listeners
                    .get()
                    .decorate(new InboundListener(
                            name,
                            container,
                            adapter.getOutputChannel(),
                            set(fields, "retryTemplate"),
                            adapter.getErrorChannel() == null ? set(fields, "recoveryCallback") : "errorChannel",
                            null));
        } else if (listeners.get().isDeduplicated(container, name)) {
            throw new DedupConfigurationException(
                    "Listener " + name
                            + " cannot be deduplicated: it is a KafkaInboundGateway, and the sender of a duplicate would get no reply.",
                    "Use a @KafkaListener with @SendTo, which replies to duplicates with the stored reply; or switch off its"
                            + " deduplication with dedup.listeners." + name + ".enabled: false.");
        }
    }

    private static @Nullable String set(DirectFieldAccessor fields, String name) {
        return fields.getPropertyValue(name) == null ? null : name;
    }
}
