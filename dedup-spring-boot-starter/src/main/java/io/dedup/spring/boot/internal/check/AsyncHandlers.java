package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.internal.text.YamlPath;
import java.lang.reflect.Method;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;

/** Finds handlers that return before their effect has happened, because {@code @Async} moves it to another thread. */
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
            throw new DedupConfigurationException(
                    "RocketMQ listener " + name
                            + " cannot be deduplicated: its handler is @Async, so it returns before"
                            + " its effect has happened. Its messages would be recorded as done, and acknowledged, even"
                            + " if it fails.",
                    "Remove @Async from the handler, or switch off deduplication of this listener with" + " "
                            + YamlPath.listener(name) + ".enabled: false.");
        }
    }
}
