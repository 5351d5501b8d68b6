package io.dedup.kafka.internal.spring;

import io.dedup.adapter.advice.FailureAdvice;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.aopalliance.aop.Advice;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.adapter.BatchMessagingMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.DelegatingInvocableHandler;
import org.springframework.kafka.listener.adapter.FilteringMessageListenerAdapter;
import org.springframework.kafka.listener.adapter.HandlerAdapter;
import org.springframework.kafka.listener.adapter.MessagingMessageListenerAdapter;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;

/** Finds the user's methods behind a listener. spring-kafka has no getters for them. */
public final class HandlerMethods {
    private HandlerMethods() {}

    /** The listener inside all wrappers. */
    public static Object innermost(Object listener) {
        Object each = listener;
        while (each instanceof DelegatingMessageListener<?> wrapper) {
            each = wrapper.getDelegate();
        }
        return each;
    }

    /**
     * A method that handles messages.
     *
     * @param bean the user's object, or a proxy of it
     * @param method the method of the user's class, behind any proxy
     * @param type the user's class
     */
    public record Handler(Object bean, Method method, Class<?> type) {
        static Handler of(InvocableHandlerMethod handler) {
            Class<?> type = AopProxyUtils.ultimateTargetClass(handler.getBean());
            return new Handler(handler.getBean(), AopUtils.getMostSpecificMethod(handler.getMethod(), type), type);
        }

        public String name() {
            return type.getSimpleName() + "." + method.getName();
        }

        /** Whether {@code @Async} moves it to another thread, and nothing that the container waits for is returned. */
        public boolean isDetached() {
            return !CompletableFuture.class.isAssignableFrom(method.getReturnType())
                    && advices().anyMatch(AsyncExecutionInterceptor.class::isInstance);
        }

        /**
         * Why it must not run in a transaction that is around its advices: the rest of a sentence that starts with its name; null if
         * it may.
         */
        public @Nullable String problemInTransaction() {
            return advices()
                    .flatMap(advice -> Stream.ofNullable(FailureAdvice.problemInTransaction(advice, method, type)))
                    .findFirst()
                    .orElse(null);
        }

        /** The advices around it, also where a proxy has a proxy. */
        private Stream<Advice> advices() {
            return Stream.iterate(bean, Advised.class::isInstance, AopProxyUtils::getSingletonTarget)
                    .flatMap(each -> Stream.of(((Advised) each).getAdvisors()))
                    .filter(advisor -> !(advisor instanceof PointcutAdvisor pointcut)
                            || (pointcut.getPointcut().getClassFilter().matches(type)
                                    && pointcut.getPointcut().getMethodMatcher().matches(method, type)))
                    .map(Advisor::getAdvice);
        }

        /** Whether it has a parameter of this type, or of a container of this type. */
        public boolean hasParameterOf(Class<?> wanted) {
            return Arrays.stream(method.getGenericParameterTypes())
                    .map(ResolvableType::forType)
                    .anyMatch(type -> wanted.equals(type.resolve())
                            || Arrays.stream(type.getGenerics()).anyMatch(each -> wanted.equals(each.resolve())));
        }
    }

    /** The methods that handle messages; for a listener that isn't an annotated method, those of its own class. */
    public static List<Handler> of(Object listener) {
        Object innermost = innermost(listener);
        List<Handler> methods = new ArrayList<>();
        if (innermost instanceof MessagingMessageListenerAdapter<?, ?> adapter) {
            try {
                HandlerAdapter handler =
                        (HandlerAdapter) read(MessagingMessageListenerAdapter.class, "handlerMethod", adapter);
                if (handler != null) {
                    collect(handler, methods);
                }
            } catch (ReflectiveOperationException | RuntimeException e) {
                return List.of(); // unknown handlers aren't refused
            }
            return methods;
        }
        Class<?> type = AopProxyUtils.ultimateTargetClass(innermost);
        for (Method method : type.getMethods()) {
            boolean handles =
                    method.getName().equals("onMessage") || method.getName().equals("onShareRecord");
            if (handles && !method.isBridge() && !method.isDefault()) {
                methods.add(new Handler(innermost, method, type));
            }
        }
        return methods;
    }

    private static void collect(HandlerAdapter handler, List<Handler> methods) throws ReflectiveOperationException {
        Object one = read(HandlerAdapter.class, "invokerHandlerMethod", handler);
        if (one instanceof InvocableHandlerMethod method) {
            methods.add(Handler.of(method));
            return;
        }
        Object many = read(HandlerAdapter.class, "delegatingHandler", handler);
        if (many != null) {
            if (read(DelegatingInvocableHandler.class, "handlers", many) instanceof Collection<?> handlers) {
                for (Object each : handlers) {
                    methods.add(Handler.of((InvocableHandlerMethod) each));
                }
            }
        }
    }

    /** Who stands between a listener's method and its container, and may take a failure of the method. */
    public static String failureTakers(MessagingMessageListenerAdapter<?, ?> adapter) {
        return Stream.of(
                        field("errorHandler", adapter, MessagingMessageListenerAdapter.class),
                        field("batchToRecordAdapter", adapter, BatchMessagingMessageListenerAdapter.class))
                .flatMap(Stream::ofNullable)
                .map(each -> each.getClass().getName())
                .reduce((one, other) -> one + " or " + other)
                .orElse("a listener around it");
    }

    private static @Nullable Object field(String name, Object from, Class<?> declaring) {
        try {
            return declaring.isInstance(from) ? read(declaring, name, from) : null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return null; // unknown
        }
    }

    /** Whether a filter acknowledges the records that it drops; true if that cannot be determined. */
    public static boolean acksDiscarded(FilteringMessageListenerAdapter<?, ?> filter) {
        try {
            return Boolean.TRUE.equals(read(FilteringMessageListenerAdapter.class, "ackDiscarded", filter));
        } catch (ReflectiveOperationException | RuntimeException e) {
            return true;
        }
    }

    /** Reads a private field. */
    public static @Nullable Object read(Class<?> type, String name, Object from) throws ReflectiveOperationException {
        return field(type, name).get(from);
    }

    /** Writes a private field. */
    public static void write(Class<?> type, String name, Object to, Object value) throws ReflectiveOperationException {
        field(type, name).set(to, value);
    }

    private static Field field(Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
