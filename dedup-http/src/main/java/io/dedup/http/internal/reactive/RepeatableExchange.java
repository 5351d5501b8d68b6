package io.dedup.http.internal.reactive;

import io.dedup.Fingerprint;
import io.dedup.http.internal.HttpCall;
import io.dedup.http.internal.RequestDigest;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.buffer.DataBuffer;
import org.springframework.core.io.buffer.DataBufferLimitException;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.codec.FormHttpMessageReader;
import org.springframework.http.codec.multipart.DefaultPartHttpMessageReader;
import org.springframework.http.codec.multipart.FilePart;
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
                .onErrorMap(DataBufferLimitException.class, e -> new RequestTooLargeException())
                .flatMap(bytes -> read(exchange, bytes, call));
        if (!isForm(request)) {
            return body;
        }
        // A filter in front may have read the form. Its parameters are kept, but not its body.
        return body.onErrorResume(
                IllegalStateException.class,
                e -> exchange.getFormData().map(form -> new Read(exchange, digest(call, form))));
    }

    private static Mono<Read> read(ServerWebExchange exchange, byte[] bytes, HttpCall call) {
        Mono<Read> compared = Mono.fromSupplier(() -> {
            RequestDigest digest = new RequestDigest(call);
            digest.add(bytes);
            return new Read(
                    bytes.length == 0 ? exchange : new RepeatableExchange(exchange, bytes), digest.fingerprint());
        });
        if (bytes.length == 0) {
            return compared;
        }
        RepeatableExchange repeatable = new RepeatableExchange(exchange, bytes);
        Mono<Fingerprint> content = isForm(exchange.getRequest())
                ? repeatable.getFormData().map(form -> digest(call, form))
                : isUpload(exchange.getRequest()) ? repeatable.parts(call) : Mono.empty();
        return content.map(fingerprint -> new Read(repeatable, fingerprint))
                .onErrorResume(e -> Mono.empty()) // it isn't what it says, which is for the handler to say
                .switchIfEmpty(compared);
    }

    /** Part by part, because clients make a new boundary for each attempt. */
    private Mono<Fingerprint> parts(HttpCall call) {
        return partReader()
                .read(ResolvableType.forClass(Part.class), request, Map.of())
                .concatMap(part -> DataBufferUtils.join(part.content())
                        .map(RepeatableExchange::bytes)
                        .defaultIfEmpty(new byte[0])
                        .map(content -> new Content(part, content)))
                .collect(() -> new RequestDigest(call), (digest, each) -> {
                    digest.add(each.part().name());
                    digest.add(each.part() instanceof FilePart file ? file.filename() : null);
                    digest.add(each.part().headers().getFirst(HttpHeaders.CONTENT_TYPE));
                    digest.add(each.bytes());
                })
                .map(RequestDigest::fingerprint);
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Content(Part part, byte[] bytes) {}

    private static DefaultPartHttpMessageReader partReader() {
        DefaultPartHttpMessageReader parts = new DefaultPartHttpMessageReader();
        parts.setMaxInMemorySize(-1); // the whole is within its limit
        return parts;
    }

    private static boolean isForm(ServerHttpRequest request) {
        return MediaType.APPLICATION_FORM_URLENCODED.isCompatibleWith(contentType(request));
    }

    private static boolean isUpload(ServerHttpRequest request) {
        return MediaType.MULTIPART_FORM_DATA.isCompatibleWith(contentType(request));
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
        return isForm(request) ? new FormHttpMessageReader().readMono(FORM, request, Map.of()) : super.getFormData();
    }

    @Override
    public Mono<MultiValueMap<String, Part>> getMultipartData() {
        return isUpload(request)
                ? new MultipartHttpMessageReader(partReader()).readMono(PARTS, request, Map.of())
                : super.getMultipartData();
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
