package io.dedup.kafka;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;

/** Containers that run a test's code before each call of their Kafka consumers. */
final class FaultyConsumers {
    /** Runs on the consumer's thread. What it throws is what the consumer's call throws. */
    interface BeforeCall {
        void run(String method, @Nullable Object firstArgument);

        /** Whether it does itself what a method would do that returns nothing. */
        default boolean replaces(String method, @Nullable Object @Nullable [] arguments) {
            return false;
        }
    }

    private FaultyConsumers() {}

    static ConcurrentMessageListenerContainer<String, String> container(
            Scene scene, ContainerProperties properties, Map<String, Object> settings, BeforeCall before) {
        Map<String, Object> config = new HashMap<>(scene.consumerConfig());
        config.putAll(settings);
        var factory = new DefaultKafkaConsumerFactory<String, String>(
                config, new StringDeserializer(), new StringDeserializer());
        factory.addPostProcessor(real -> around(real, before));
        var container = new ConcurrentMessageListenerContainer<String, String>(factory, properties);
        container.setBeanName("c-" + scene.topic);
        return container;
    }

    @SuppressWarnings("unchecked")
    static Consumer<String, String> around(Consumer<String, String> real, BeforeCall before) {
        return (Consumer<String, String>) Proxy.newProxyInstance(
                FaultyConsumers.class.getClassLoader(), new Class<?>[] {Consumer.class}, (self, method, arguments) -> {
                    before.run(method.getName(), arguments == null || arguments.length == 0 ? null : arguments[0]);
                    if (before.replaces(method.getName(), arguments)) {
                        return null;
                    }
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
