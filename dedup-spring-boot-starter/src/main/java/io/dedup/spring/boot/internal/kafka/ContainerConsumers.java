package io.dedup.spring.boot.internal.kafka;

import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.MessageListenerContainer;

/** What makes a container's consumers. */
final class ContainerConsumers {
    private ContainerConsumers() {}

    /** The factory; null where a container hides it. */
    static @Nullable ConsumerFactory<?, ?> factory(MessageListenerContainer container) {
        DirectFieldAccessor fields = new DirectFieldAccessor(container);
        return fields.isReadableProperty("consumerFactory")
                        && fields.getPropertyValue("consumerFactory") instanceof ConsumerFactory<?, ?> factory
                ? factory
                : null;
    }

    /** The brokers that they are to begin with, in one order; null if these aren't known. */
    static @Nullable String servers(MessageListenerContainer container) {
        Object servers = setting(container, ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
        if (servers == null) {
            return null;
        }
        Collection<?> all = servers instanceof Collection<?> several
                ? several
                : List.of(String.valueOf(servers).split(","));
        TreeSet<String> sorted = new TreeSet<>();
        all.forEach(each -> sorted.add(String.valueOf(each).trim()));
        return String.join(",", sorted);
    }

    /** A setting as its consumers get it: its own properties, which may have defaults, override its factory's. Null if it isn't known. */
    static @Nullable Object setting(MessageListenerContainer container, String name) {
        Properties overrides = container.getContainerProperties().getKafkaConsumerProperties();
        Object own = overrides.get(name) == null ? overrides.getProperty(name) : overrides.get(name);
        ConsumerFactory<?, ?> factory = own == null ? factory(container) : null;
        return factory == null ? own : factory.getConfigurationProperties().get(name);
    }
}
