package io.dedup.http.internal.reactive;

import io.dedup.http.internal.Answer;
import io.dedup.http.internal.HttpCall;
import io.dedup.http.internal.HttpDecision;
import io.dedup.http.internal.HttpPath;
import io.dedup.http.internal.ServedPaths;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import reactor.core.publisher.Mono;

/**
 * Runs a request once for its key, in WebFlux. In front of the handler, and behind what authenticates clients. Never blocks an event
 * loop: it claims on a thread of {@code Schedulers.boundedElastic()}, where the handler begins as well.
 *
 * <p>There are two in a chain. The first takes what it recognizes. Filters behind it may rewrite a path: the last takes what is recognized
 * only then.
 */
public final class IdempotencyKeyWebFilter implements WebFilter, Ordered {
    private static final String ANONYMOUS = "AnonymousAuthenticationToken";

    private static final String RUN = IdempotencyKeyWebFilter.class.getName();

    private final Supplier<ServedPaths> paths;
    private final Supplier<SpringWebFlux> webFlux;
    private final int order;

    /** A filter. Both are asked with the first request, because filters may be made before other beans. */
    public IdempotencyKeyWebFilter(Supplier<ServedPaths> paths, Supplier<SpringWebFlux> webFlux, int order) {
        this.paths = paths;
        this.webFlux = webFlux;
        this.order = order;
    }

    @Override
    public int getOrder() {
        return order;
    }

    @Override
    public Mono<Void> filter(ServerWebExchange exchange, WebFilterChain chain) {
        ServerHttpRequest request = exchange.getRequest();
        HttpPath path = exchange.getAttribute(RUN) == null
                ? paths.get().find(request.getMethod().name(), webFlux.get().path(request))
                : null;
        if (path == null) {
            return chain.filter(exchange);
        }
        if (!path.needsPrincipal()) {
            return filter(path, call(request, null), exchange, chain);
        }
        return exchange.getPrincipal()
                .filter(principal -> !principal.getClass().getSimpleName().equals(ANONYMOUS))
                .map(Principal::getName)
                .map(Optional::of)
                .defaultIfEmpty(Optional.empty())
                .flatMap(name -> filter(path, call(request, name.orElse(null)), exchange, chain));
    }

    private static HttpCall call(ServerHttpRequest request, @Nullable String principal) {
        return new HttpCall(
                request.getMethod().name(),
                request.getPath().value(),
                request.getURI().getRawQuery(),
                name -> values(request.getHeaders(), name),
                principal);
    }

    /** Not by {@code HttpHeaders.get}, whose parameter has another type in Spring Framework 6. */
    private static List<String> values(HttpHeaders headers, String name) {
        List<String> values = new ArrayList<>();
        headers.forEach((each, all) -> {
            if (each.equalsIgnoreCase(name)) {
                values.addAll(all);
            }
        });
        return values;
    }

    private Mono<Void> filter(HttpPath path, HttpCall call, ServerWebExchange exchange, WebFilterChain chain) {
        HttpDecision decision = path.check(call);
        if (decision instanceof HttpDecision.Reply reply) {
            return write(reply.answer(), exchange);
        }
        if (!(decision instanceof HttpDecision.Claim claim)) {
            return chain.filter(exchange);
        }
        exchange.getAttributes().put(RUN, true);
        if (!path.comparesRequests()) {
            return new ReactiveRequest(path, call, claim.messageId(), null, this).run(exchange, chain);
        }
        return RepeatableExchange.read(exchange, path.maxRequestSize(), call)
                .map(Optional::of)
                .onErrorResume(RequestTooLargeException.class, e -> Mono.just(Optional.empty()))
                .flatMap(read -> read.isPresent()
                        ? new ReactiveRequest(
                                        path,
                                        call,
                                        claim.messageId(),
                                        read.get().fingerprint(),
                                        this)
                                .run(read.get().exchange(), chain)
                        : write(path.tooLarge(), exchange));
    }

    /** Its handler isn't called, but a page of another origin may read the answer all the same. */
    Mono<Void> write(Answer answer, ServerWebExchange exchange) {
        ServerHttpResponse response = exchange.getResponse();
        return webFlux.get()
                .permitsOrigin(exchange)
                .flatMap(permitted -> permitted ? write(answer, response) : response.setComplete());
    }

    private static Mono<Void> write(Answer answer, ServerHttpResponse response) {
        if (answer.error()) {
            answer.headers().forEach(response.getHeaders()::put);
            return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(answer.status()), answer.message()));
        }
        writeHead(answer, response);
        if (answer.body().length == 0) {
            return response.setComplete();
        }
        return response.writeWith(
                Mono.fromSupplier(() -> response.bufferFactory().wrap(answer.body())));
    }

    /** All but the body. */
    static void writeHead(Answer answer, ServerHttpResponse response) {
        HttpHeaders headers = response.getHeaders();
        answer.headers().forEach(headers::put);
        response.setStatusCode(HttpStatusCode.valueOf(answer.status()));
        if (answer.contentType() != null) {
            headers.set(HttpHeaders.CONTENT_TYPE, answer.contentType());
        }
        if (answer.body().length > 0) {
            headers.setContentLength(answer.body().length);
        }
    }
}
