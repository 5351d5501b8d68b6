package io.dedup.kafka.internal.poll;

import io.dedup.kafka.internal.spring.HandlerMethods;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.jspecify.annotations.Nullable;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.BatchInterceptor;
import org.springframework.kafka.listener.RecordInterceptor;

/**
 * Delegates to a container's interceptors, and notices what they throw. With a Kafka transaction the container calls
 * interceptors outside of its listener's call: their exceptions end its loop over the polled records, and no error
 * handler is called.
 */
public final class WatchedInterceptors implements InvocationHandler {
    private final Object interceptor;
    private final Runnable suspectDrop;

    private WatchedInterceptors(Object interceptor, Runnable suspectDrop) {
        this.interceptor = interceptor;
        this.suspectDrop = suspectDrop;
    }

    @SuppressWarnings("unchecked")
    public static <K, V> void watch(AbstractMessageListenerContainer<K, V> container, Runnable suspectDrop) {
        RecordInterceptor<K, V> records = (RecordInterceptor<K, V>) ofRecords(container);
        if (records != null && !isWatched(records)) {
            container.setRecordInterceptor(
                    (RecordInterceptor<K, V>) around(RecordInterceptor.class, records, suspectDrop));
        }
        BatchInterceptor<K, V> batches = (BatchInterceptor<K, V>) ofBatches(container);
        if (batches != null && !isWatched(batches)) {
            container.setBatchInterceptor(
                    (BatchInterceptor<K, V>) around(BatchInterceptor.class, batches, suspectDrop));
        }
    }

    /** Whether all interceptors of the container are wrapped, so that none was set since. */
    public static boolean areWatched(AbstractMessageListenerContainer<?, ?> container) {
        return isWatched(ofRecords(container)) && isWatched(ofBatches(container));
    }

    /** The container's interceptor of single records; null if there is none. */
    public static @Nullable Object ofRecords(AbstractMessageListenerContainer<?, ?> container) {
        try {
            return container.getRecordInterceptor();
        } catch (IllegalAccessError e) {
            return before4("recordInterceptor", container);
        }
    }

    private static @Nullable Object ofBatches(AbstractMessageListenerContainer<?, ?> container) {
        try {
            return container.getBatchInterceptor();
        } catch (IllegalAccessError e) {
            return before4("batchInterceptor", container);
        }
    }

    /** The getters of spring-kafka 3 are protected. */
    private static @Nullable Object before4(String field, AbstractMessageListenerContainer<?, ?> container) {
        try {
            return HandlerMethods.read(AbstractMessageListenerContainer.class, field, container);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "This version of spring-kafka isn't supported: its containers have no field " + field, e);
        }
    }

    private static boolean isWatched(@Nullable Object interceptor) {
        return interceptor == null
                || (Proxy.isProxyClass(interceptor.getClass())
                        && Proxy.getInvocationHandler(interceptor) instanceof WatchedInterceptors);
    }

    private static Object around(Class<?> type, Object interceptor, Runnable suspectDrop) {
        return Proxy.newProxyInstance(
                WatchedInterceptors.class.getClassLoader(),
                new Class<?>[] {type},
                new WatchedInterceptors(interceptor, suspectDrop));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(interceptor, arguments);
        } catch (InvocationTargetException e) {
            suspectDrop.run();
            throw e.getCause();
        }
    }
}
