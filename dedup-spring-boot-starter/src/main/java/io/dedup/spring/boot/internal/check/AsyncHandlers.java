package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.lang.reflect.Method;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;

/**
 * Finds handlers that return before their effect has happened, because {@code @Async} moves it to another thread, or because they return
 * what somebody has to wait for.
 */
public final class AsyncHandlers {
    private AsyncHandlers() {}

    /**
     * Checks the handler of a listener.
     *
     * @param listener the bean as it is called, with its proxies
     * @throws DedupConfigurationException when its messages would be acknowledged before their effect
     */
    public static void refuse(String name, Object listener, Method handler) {
        if (HandlerAdvices.around(listener, handler).anyMatch(AsyncExecutionInterceptor.class::isInstance)) {
            throw refused(name, "its handler is @Async", "Remove @Async from the handler");
        }
        Class<?> late = LateResults.declared(handler, AopProxyUtils.ultimateTargetClass(listener));
        if (late != null) {
            throw refused(
                    name,
                    "its handler returns " + late.getSimpleName(),
                    "Wait for the effect in the handler, and return its result");
        }
    }

    private static DedupConfigurationException refused(String name, String problem, String action) {
        return new DedupConfigurationException(
                "RocketMQ listener " + name + " cannot be deduplicated: " + problem
                        + ", so it returns before its effect has happened. Its messages would be recorded as done, and"
                        + " acknowledged, even if it fails.",
                action + ", or switch off deduplication of this listener with " + YamlPath.listener(name)
                        + ".enabled: false.");
    }
}
