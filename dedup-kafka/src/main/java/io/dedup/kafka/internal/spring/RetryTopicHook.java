package io.dedup.kafka.internal.spring;

import java.util.function.Consumer;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.retrytopic.ListenerContainerFactoryConfigurer;
import org.springframework.kafka.retrytopic.RetryTopicConfigurer;

/**
 * The last step of what {@code @RetryableTopic} does with a container. spring-kafka has a customizer for it, but only one,
 * and no getter.
 */
public final class RetryTopicHook {
    private RetryTopicHook() {}

    /** Adds a step behind the user's own customizer. */
    @SuppressWarnings("unchecked")
    public static void after(RetryTopicConfigurer configurer, Consumer<AbstractMessageListenerContainer<?, ?>> last)
            throws ReflectiveOperationException {
        Object factories =
                HandlerMethods.read(RetryTopicConfigurer.class, "listenerContainerFactoryConfigurer", configurer);
        if (!(factories instanceof ListenerContainerFactoryConfigurer settings)) {
            throw new IllegalStateException("no ListenerContainerFactoryConfigurer");
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
