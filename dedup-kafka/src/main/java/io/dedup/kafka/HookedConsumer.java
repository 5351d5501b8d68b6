package io.dedup.kafka;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.ConsumerSeekAware.ConsumerSeekCallback;

/**
 * Calls a {@link ClaimedPoll} around a Kafka consumer's polls and commits. A proxy, since {@link Consumer} has other methods in
 * other versions; without a decorated listener on its thread it only passes calls on.
 */
final class HookedConsumer implements InvocationHandler {
    private final Consumer<?, ?> target;
    private final PollHooks hooks;

    private HookedConsumer(Consumer<?, ?> target, PollHooks hooks) {
        this.target = target;
        this.hooks = hooks;
    }

    @SuppressWarnings("unchecked")
    static <K, V> Consumer<K, V> around(Consumer<K, V> target, PollHooks hooks) {
        return (Consumer<K, V>) Proxy.newProxyInstance(
                HookedConsumer.class.getClassLoader(),
                new Class<?>[] {Consumer.class},
                new HookedConsumer(target, hooks));
    }

    /**
     * The container's consumer, by the callback that it gives its listener; null if it can't be seen. Known before the first
     * poll, since a listener may poll another consumer of the same factory before that.
     *
     * @param hooks whose; several instances may have hooked the consumers of one factory, each around the ones before
     */
    static @Nullable HookedConsumer of(ConsumerSeekCallback container, PollHooks hooks) {
        Object consumer = consumerOf(container);
        while (consumer != null
                && Proxy.isProxyClass(consumer.getClass())
                && Proxy.getInvocationHandler(consumer) instanceof HookedConsumer hooked) {
            if (hooked.hooks == hooks) {
                return hooked;
            }
            consumer = hooked.target;
        }
        return null;
    }

    /** Whether the container's consumer is Kafka's own, with nothing around it: no call of its can be seen. */
    static boolean isBare(ConsumerSeekCallback container) {
        return consumerOf(container) instanceof KafkaConsumer<?, ?>;
    }

    private static @Nullable Object consumerOf(ConsumerSeekCallback container) {
        try {
            return HandlerMethods.read(container.getClass(), "consumer", container);
        } catch (ReflectiveOperationException | RuntimeException e) { // spring-kafka has no getter for it
            return null;
        }
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        String name = method.getName();
        boolean polls = name.equals("poll");
        ClaimedPoll claims = hooks.ofThread();
        if (claims == null || !claims.isOf(this, polls)) {
            return call(method, arguments);
        }
        switch (name) {
            case "poll" -> {
                claims.beforePoll();
                Object polled = call(method, arguments);
                boolean bound = hooks.ofThread() == claims; // else the listener has ended within the poll
                if (bound && polled instanceof ConsumerRecords<?, ?> records) {
                    claims.polled(records);
                }
                return polled;
            }
            case "commitSync", "commitAsync", "groupMetadata" -> claims.flush(); // the last lets a producer commit
            case "unsubscribe", "close" -> claims.end();
            default -> {}
        }
        return call(method, arguments);
    }

    private @Nullable Object call(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
