package io.dedup.kafka.internal.spring;

import java.util.function.Consumer;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.retrytopic.ListenerContainerFactoryConfigurer;
import org.springframework.kafka.retrytopic.RetryTopicConfigurer;

/**
 * Adds a step to the end of what {@code @RetryableTopic} does with a container. spring-kafka supports a single
 * customizer for that, and has no getter for it.
 */
public final class RetryTopicHook {
    private RetryTopicHook() {}

    /** Adds a step after the user's own customizer. */
    @SuppressWarnings("unchecked")
    public static void after(RetryTopicConfigurer configurer, Consumer<AbstractMessageListenerContainer<?, ?>> last)
            throws ReflectiveOperationException {
        Object factories =
                HandlerMethods.read(RetryTopicConfigurer.class, "listenerContainerFactoryConfigurer", configurer);
        if (!(factories instanceof ListenerContainerFactoryConfigurer settings)) {
            throw new IllegalStateException("RetryTopicConfigurer has no ListenerContainerFactoryConfigurer");
        }
        var before = (Consumer<ConcurrentMessageListenerContainer<?, ?>>)
                HandlerMethods.read(ListenerContainerFactoryConfigurer.class, "containerCustomizer", settings);
        settings.setContainerCustomizer(container -> {
            if (before != null) {
                before.accept(container);
            }
            last.accept(container);
        });
    }
}
