package io.dedup.spring.boot.internal.check;

import io.dedup.spring.boot.DedupConfigurationException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
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
        Class<?> type = AopProxyUtils.ultimateTargetClass(listener);
        Object each = listener;
        while (each instanceof Advised advised) {
            if (Arrays.stream(advised.getAdvisors()).anyMatch(advisor -> makesAsync(advisor, handler, type))) {
                throw new DedupConfigurationException(
                        "RocketMQ listener " + name
                                + " cannot be deduplicated: its handler is @Async, so it returns before"
                                + " its effect has happened. Its messages would be recorded as done, and acknowledged, even"
                                + " if it fails.",
                        "Remove @Async from the handler, or switch off deduplication of this listener with"
                                + " dedup.listeners." + name + ".enabled: false.");
            }
            each = AopProxyUtils.getSingletonTarget(each);
        }
    }

    private static boolean makesAsync(Advisor advisor, Method handler, Class<?> type) {
        return advisor.getAdvice() instanceof AsyncExecutionInterceptor && applies(advisor, handler, type);
    }

    private static boolean applies(Advisor advisor, Method handler, Class<?> type) {
        if (!(advisor instanceof PointcutAdvisor pointcut)) {
            return true;
        }
        return pointcut.getPointcut().getClassFilter().matches(type)
                && pointcut.getPointcut().getMethodMatcher().matches(handler, type);
    }
}
