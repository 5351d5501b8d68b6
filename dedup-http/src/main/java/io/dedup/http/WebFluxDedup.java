package io.dedup.http;

import io.dedup.http.internal.reactive.IdempotencyKeyWebFilter;
import io.dedup.http.internal.reactive.SpringWebFlux;
import java.util.function.Supplier;
import org.springframework.context.ApplicationContext;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.server.WebFilter;

/**
 * Deduplicates requests in WebFlux. An application needs the {@linkplain #filter filter} once, behind what authenticates clients, and
 * another one behind all others if these rewrite paths. Thread-safe.
 */
public final class WebFluxDedup {
    /** Of the first filter: behind Spring Security, whose order is -100. */
    public static final int ORDER = -90;

    private final Supplier<HttpPaths> paths;
    private final Supplier<SpringWebFlux> webFlux;

    /**
     * For an application whose handler mappings decide which spelling of a path matches a pattern.
     *
     * @param paths called with the first request, because filters may be made before other beans
     */
    public WebFluxDedup(Supplier<HttpPaths> paths, ApplicationContext application) {
        this.paths = paths;
        this.webFlux = SingletonSupplier.of(() -> new SpringWebFlux(application));
    }

    /** A filter for one place in a chain, which has this order among the application's filters. */
    public WebFilter filter(int order) {
        return new IdempotencyKeyWebFilter(() -> paths.get().served(), webFlux, order);
    }
}
