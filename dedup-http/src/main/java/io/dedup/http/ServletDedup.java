package io.dedup.http;

import io.dedup.http.internal.servlet.FrontServlet;
import io.dedup.http.internal.servlet.IdempotencyKeyFilter;
import io.dedup.http.internal.servlet.SpringMvc;
import jakarta.servlet.Filter;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ApplicationContext;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/**
 * Deduplicates requests in a servlet container, with Spring MVC or other servlets. A chain needs the {@linkplain #filter() filter} once,
 * behind what authenticates clients, for dispatches of type REQUEST and ASYNC. If filters behind it rewrite paths or forward
 * requests, it needs another one directly in front of the servlet, for FORWARD as well. Thread-safe.
 */
public final class ServletDedup {
    /** Of the first filter: behind Spring Security, whose default order is -100, and in front of everything that comes after it. */
    public static final int ORDER = -90;

    private static final boolean SPRING_MVC = ClassUtils.isPresent(
            "org.springframework.web.servlet.DispatcherServlet", ServletDedup.class.getClassLoader());

    private final Supplier<HttpPaths> paths;
    private final Supplier<FrontServlet> servlet;

    /** For any servlets: patterns match by the rules of Spring's {@code PathPattern}. */
    public ServletDedup(HttpPaths paths) {
        this(() -> paths, () -> FrontServlet.UNKNOWN);
    }

    /**
     * For an application whose handler mappings, if it has Spring MVC, decide which spelling of a path matches a pattern.
     *
     * @param paths called with the first request, because filters are made before most beans
     */
    public ServletDedup(Supplier<HttpPaths> paths, ApplicationContext application) {
        this(paths, SingletonSupplier.of(() -> SPRING_MVC ? new SpringMvc(application) : FrontServlet.UNKNOWN));
    }

    private ServletDedup(Supplier<HttpPaths> paths, Supplier<FrontServlet> servlet) {
        this.paths = paths;
        this.servlet = servlet;
    }

    /** A filter for one place in a chain. */
    public Filter filter() {
        return new IdempotencyKeyFilter(() -> paths.get().served(), servlet);
    }

    /** Why the application's handler mappings cannot match a path's pattern; null if they can. Call it when they have been made. */
    public @Nullable String problem(HttpPathSettings path) {
        return servlet.get().problem(path.settings().requests().pattern());
    }
}
