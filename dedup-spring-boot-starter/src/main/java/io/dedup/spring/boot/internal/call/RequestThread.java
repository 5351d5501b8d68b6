package io.dedup.spring.boot.internal.call;

import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.web.context.request.RequestContextHolder;

/** Whether the current thread handles a request, whose client gets an answer and can repeat it. */
public final class RequestThread {
    private static final ClassLoader LOADER = RequestThread.class.getClassLoader();
    private static final boolean PRESENT =
            ClassUtils.isPresent("org.springframework.web.context.request.RequestContextHolder", LOADER);
    private static final @Nullable Class<?> EVENT_LOOP = eventLoop();

    private RequestThread() {}

    private static @Nullable Class<?> eventLoop() {
        String name = "reactor.core.scheduler.NonBlocking";
        return ClassUtils.isPresent(name, LOADER) ? ClassUtils.resolveClassName(name, LOADER) : null;
    }

    /** Whether it is a thread of a servlet's request, or an event loop, where nothing should wait at all. */
    public static boolean isCurrent() {
        return (PRESENT && Present.isCurrent())
                || (EVENT_LOOP != null && EVENT_LOOP.isInstance(Thread.currentThread()));
    }

    /** Loaded only where there are requests. */
    private static final class Present {
        static boolean isCurrent() {
            return RequestContextHolder.getRequestAttributes() != null;
        }
    }
}
