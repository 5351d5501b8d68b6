package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.spring.HandlerMethods;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/** A wrapper of ours around a Kafka consumer: finds it behind what the container passes to its listener, and looks behind it. */
public abstract class ConsumerWrapper implements InvocationHandler {
    final Consumer<?, ?> target;

    ConsumerWrapper(Consumer<?, ?> target) {
        this.target = target;
    }

    /**
     * The container's consumer, found through the callback that the container passes to its listener; null if it cannot
     * be found. It is known before the first poll, because a listener may poll another consumer of a hooked factory
     * earlier.
     */
    static @Nullable ConsumerWrapper of(ConsumerSeekCallback container) {
        Object consumer = consumerOf(container);
        return consumer != null
                        && Proxy.isProxyClass(consumer.getClass())
                        && Proxy.getInvocationHandler(consumer) instanceof ConsumerWrapper wrapper
                ? wrapper
                : null;
    }

    /** Whether the container's consumer is Kafka's own and not wrapped, so that its calls cannot be watched. */
    public static boolean isBare(ConsumerSeekCallback container) {
        return consumerOf(container) instanceof KafkaConsumer<?, ?>;
    }

    /** The consumer without the wrappers around it. */
    static Consumer<?, ?> unwatched(Consumer<?, ?> consumer) {
        Consumer<?, ?> inner = consumer;
        while (Proxy.isProxyClass(inner.getClass())
                && Proxy.getInvocationHandler(inner) instanceof ConsumerWrapper wrapper) {
            inner = wrapper.target;
        }
        return inner;
    }

    static @Nullable Object consumerOf(ConsumerSeekCallback container) {
        try {
            return HandlerMethods.read(container.getClass(), "consumer", container);
        } catch (ReflectiveOperationException | RuntimeException e) { // spring-kafka has no getter for it
            return null;
        }
    }
}
