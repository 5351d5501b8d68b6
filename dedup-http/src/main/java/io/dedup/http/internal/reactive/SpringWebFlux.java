package io.dedup.http.internal.reactive;

import io.dedup.http.internal.HandlerPaths;
import io.dedup.http.internal.RequestedPath;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.core.annotation.AnnotationAwareOrderComparator;
import org.springframework.http.HttpStatus;
import org.springframework.http.server.PathContainer;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.web.cors.reactive.CorsUtils;
import org.springframework.web.reactive.HandlerMapping;
import org.springframework.web.reactive.handler.AbstractHandlerMapping;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.util.pattern.PathPatternParser;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The handler mappings of WebFlux. Thread-safe. */
public final class SpringWebFlux {
    private final List<HandlerMapping> mappings;
    private final HandlerPaths parsed;

    public SpringWebFlux(ApplicationContext context) {
        mappings = new ArrayList<>(
                BeanFactoryUtils.beansOfTypeIncludingAncestors(context, HandlerMapping.class, true, false)
                        .values());
        AnnotationAwareOrderComparator.sort(mappings);
        Set<PathPatternParser> parsers = new LinkedHashSet<>();
        for (HandlerMapping mapping : mappings) {
            if (mapping instanceof AbstractHandlerMapping each) {
                parsers.add(each.getPathPatternParser());
            }
        }
        parsed = new HandlerPaths(parsers);
    }

    /** The path of a request, as its handler is found by it. */
    RequestedPath path(ServerHttpRequest request) {
        PathContainer path = request.getPath().pathWithinApplication();
        return pattern -> parsed.matches(pattern, path);
    }

    /**
     * Gives a response the CORS headers that the handler of its request would have given it: to look for the handler does that. False if
     * the origin is refused.
     */
    Mono<Boolean> permitsOrigin(ServerWebExchange exchange) {
        if (!CorsUtils.isCorsRequest(exchange.getRequest())) {
            return Mono.just(true);
        }
        return Flux.fromIterable(mappings)
                .concatMap(mapping -> mapping.getHandler(exchange))
                .next()
                .thenReturn(true)
                .onErrorReturn(true) // no handler takes such a request, and the answer doesn't depend on one
                .map(found -> exchange.getResponse().getStatusCode() != HttpStatus.FORBIDDEN);
    }
}
