package io.dedup.spring.boot.internal.http.reactive;

import io.dedup.Fingerprint;
import io.dedup.spring.boot.internal.http.HttpCall;
import io.dedup.spring.boot.internal.http.RequestDigest;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.MediaType;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.codec.multipart.DefaultPartHttpMessageReader;
import org.springframework.http.codec.multipart.MultipartHttpMessageReader;
import org.springframework.http.codec.multipart.Part;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.util.MultiValueMap;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.ServerWebExchangeDecorator;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An exchange whose request was read, and is read again by its handler: as a body, a form or parts. */
final class RepeatableExchange extends ServerWebExchangeDecorator {
    private static final ResolvableType FORM =
            ResolvableType.forClassWithGenerics(MultiValueMap.class, String.class, String.class);
    private static final ResolvableType PARTS =
            ResolvableType.forClassWithGenerics(MultiValueMap.class, String.class, Part.class);

    private final ServerHttpRequest request;

    /**
     * What was read.
     *
     * @param exchange whose request can be read again
     */
    record Read(ServerWebExchange exchange, Fingerprint fingerprint) {}

    private RepeatableExchange(ServerWebExchange exchange, byte[] body) {
        super(exchange);
        this.request = new Request(exchange.getRequest(), body, exchange);
    }

    /** Reads it; fails with {@link RequestTooLargeException}. */
    static Mono<Read> read(ServerWebExchange exchange, int limit, HttpCall call) {
        ServerHttpRequest request = exchange.getRequest();
        if (request.getHeaders().getContentLength() > limit) {
            return Mono.error(new RequestTooLargeException());
        }
        Mono<Read> body = DataBufferUtils.join(request.getBody(), limit)
                .map(RepeatableExchange::bytes)
                .defaultIfEmpty(new byte[0])
                .map(bytes -> new Read(
                        bytes.length == 0 ? exchange : new RepeatableExchange(exchange, bytes),
                        digest(call, bytes, boundary(request))))
                .onErrorMap(DataBufferLimitException.class, e -> new RequestTooLargeException());
        if (!MediaType.APPLICATION_FORM_URLENCODED.isCompatibleWith(contentType(request))) {
            return body;
        }
        // A filter in front may have read the form. Its parameters are kept, but not its body.
        return body.onErrorResume(
                IllegalStateException.class,
                e -> exchange.getFormData().map(form -> new Read(exchange, digest(call, form))));
    }

    private static byte[] bytes(DataBuffer buffer) {
        byte[] bytes = new byte[buffer.readableByteCount()];
        buffer.read(bytes);
        DataBufferUtils.release(buffer);
        return bytes;
    }

    private static @Nullable MediaType contentType(ServerHttpRequest request) {
        try {
            return request.getHeaders().getContentType();
        } catch (IllegalArgumentException e) { // it isn't one, which is for the handler to say
            return null;
        }
    }

    private static @Nullable String boundary(ServerHttpRequest request) {
        MediaType type = contentType(request);
        return type == null || !type.getType().equals("multipart") ? null : type.getParameter("boundary");
    }

    /** Without the boundary, which clients make anew for each attempt. */
    private static Fingerprint digest(HttpCall call, byte[] body, @Nullable String boundary) {
        RequestDigest digest = new RequestDigest(call);
        if (boundary == null || boundary.isEmpty()) {
            digest.add(body);
        } else {
            String text = new String(body, StandardCharsets.ISO_8859_1).replace(boundary, "");
            digest.add(text.getBytes(StandardCharsets.ISO_8859_1));
        }
        return digest.fingerprint();
    }

    private static Fingerprint digest(HttpCall call, MultiValueMap<String, String> form) {
        RequestDigest digest = new RequestDigest(call);
        digest.add(form);
        return digest.fingerprint();
    }

    @Override
    public ServerHttpRequest getRequest() {
        return request;
    }

    @Override
    public Mono<MultiValueMap<String, String>> getFormData() {
        return MediaType.APPLICATION_FORM_URLENCODED.isCompatibleWith(contentType(request))
                ? new FormHttpMessageReader().readMono(FORM, request, Map.of())
                : super.getFormData();
    }

    @Override
    public Mono<MultiValueMap<String, Part>> getMultipartData() {
        if (!MediaType.MULTIPART_FORM_DATA.isCompatibleWith(contentType(request))) {
            return super.getMultipartData();
        }
        DefaultPartHttpMessageReader parts = new DefaultPartHttpMessageReader();
        parts.setMaxInMemorySize(-1); // the whole is within its limit
        return new MultipartHttpMessageReader(parts).readMono(PARTS, request, Map.of());
    }

    /** The request with its body. */
    private static final class Request extends ServerHttpRequestDecorator {
        private final byte[] body;
        private final ServerWebExchange exchange;

        Request(ServerHttpRequest request, byte[] body, ServerWebExchange exchange) {
            super(request);
            this.body = body;
            this.exchange = exchange;
        }

        @Override
        public Flux<DataBuffer> getBody() {
            return Flux.defer(
                    () -> Flux.just(exchange.getResponse().bufferFactory().wrap(body)));
        }
    }
}
