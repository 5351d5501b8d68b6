package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.http.HttpDedup;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.faults.FaultyStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.reactor.netty.NettyReactiveWebServerFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.buffer.DataBufferUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.codec.multipart.FilePart;
import org.springframework.http.server.reactive.ServerHttpResponse;
import org.springframework.http.server.reactive.ServerHttpResponseDecorator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.reactive.AbstractReactiveTransactionManager;
import org.springframework.transaction.reactive.GenericReactiveTransaction;
import org.springframework.transaction.reactive.TransactionContextManager;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RequestPart;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** WebFlux on Netty. */
class WebFluxTest extends HttpContract {
    private static ConfigurableApplicationContext application;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Api.class)
    static class App {
        /** Spring Boot 3.5 would take Tomcat, which is on the class path for other tests. */
        @Bean
        NettyReactiveWebServerFactory netty() {
            return new NettyReactiveWebServerFactory();
        }

        @Bean
        FaultyStore store() {
            return FaultyStore.around(new InMemoryDedupStore());
        }

        /** The context of a reactive transaction. */
        @Bean
        @Order(-95)
        WebFilter transactions() {
            return (exchange, chain) -> exchange.getRequest().getHeaders().getFirst("X-Transaction") == null
                    ? chain.filter(exchange)
                    : TransactionSynchronizationManager.forCurrentTransaction()
                            .doOnNext(transaction -> transaction.setActualTransactionActive(true))
                            .then(chain.filter(exchange))
                            .contextWrite(TransactionContextManager.getOrCreateContext())
                            .contextWrite(TransactionContextManager.getOrCreateContextHolder());
        }

        /** Its response cannot be read when it is to be kept. */
        @Bean
        @Order(-99)
        WebFilter unreadable() {
            return (exchange, chain) -> exchange.getRequest().getHeaders().getFirst("X-Unreadable") == null
                    ? chain.filter(exchange)
                    : chain.filter(exchange.mutate()
                            .response(new UnreadableResponse(
                                    exchange.getResponse(),
                                    exchange.getRequest().getHeaders().getFirst("X-Unreadable")))
                            .build());
        }

        @Bean
        WebFilter timeouts() {
            return (exchange, chain) -> exchange.getRequest().getHeaders().getFirst("X-Timeout") == null
                    ? chain.filter(exchange)
                    : chain.filter(exchange).timeout(Duration.ofMillis(500));
        }

        /** A transaction behind the filter. The first commit of an operation fails. */
        @Bean
        WebFilter commits() {
            return (exchange, chain) -> {
                String operation = exchange.getRequest().getHeaders().getFirst("X-Commit");
                return operation == null
                        ? chain.filter(exchange)
                        : TransactionalOperator.create(new Commits(operation)).transactional(chain.filter(exchange));
            };
        }

        @Bean
        @Order(-100) // as Spring Security
        WebFilter users() {
            return (exchange, chain) -> {
                String user = exchange.getRequest().getHeaders().getFirst("X-User");
                String operation = exchange.getRequest().getQueryParams().getFirst("operation");
                Principal principal = () -> String.valueOf(user);
                return chain.filter(
                                user == null
                                        ? exchange
                                        : exchange.mutate()
                                                .principal(Mono.just(principal))
                                                .build())
                        .doFinally(end -> Work.left(String.valueOf(operation)));
            };
        }
    }

    private static final class UnreadableResponse extends ServerHttpResponseDecorator {
        private final String reader;

        /** @param reader the method that cannot read it */
        UnreadableResponse(ServerHttpResponse response, String reader) {
            super(response);
            this.reader = reader;
        }

        @Override
        public HttpHeaders getHeaders() {
            failFor("stored");
            return super.getHeaders();
        }

        @Override
        public HttpStatusCode getStatusCode() {
            failFor("status");
            return super.getStatusCode();
        }

        private void failFor(String method) {
            if (reader.equals(method)
                    && StackWalker.getInstance()
                            .walk(frames -> frames.anyMatch(
                                    frame -> frame.getMethodName().equals(method)))) {
                throw new IllegalStateException("of the test");
            }
        }
    }

    private static final class Commits extends AbstractReactiveTransactionManager {
        private static final long serialVersionUID = 1L;

        private final String operation;

        Commits(String operation) {
            this.operation = operation;
        }

        @Override
        protected Object doGetTransaction(TransactionSynchronizationManager manager) {
            return this;
        }

        @Override
        protected Mono<Void> doBegin(
                TransactionSynchronizationManager manager, Object transaction, TransactionDefinition definition) {
            return Mono.empty();
        }

        @Override
        protected Mono<Void> doCommit(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Work.runs(operation) == 1 ? Mono.error(new TransactionSystemException("planned")) : Mono.empty();
        }

        @Override
        protected Mono<Void> doRollback(TransactionSynchronizationManager manager, GenericReactiveTransaction status) {
            return Mono.empty();
        }
    }

    @RestController
    @RequestMapping({"/api", "/stored", "/optional", "/small", "/tenant", "/waiting", "/unguarded", "/brief", "/other"})
    static class Api {
        @RequestMapping("/payments")
        Mono<ResponseEntity<String>> pay(
                @RequestParam String operation, @RequestBody(required = false) Mono<String> body) {
            return body.defaultIfEmpty("null").map(text -> {
                int run = Work.run(operation);
                return ResponseEntity.created(URI.create("/payments/1"))
                        .eTag("7")
                        .header("Set-Cookie", "session=" + run)
                        .header("X-Request-Number", "5")
                        .body("run " + run + " of " + text);
            });
        }

        @PostMapping("/echo")
        Mono<String> echo(@RequestBody Mono<String> body) {
            return body;
        }

        @PostMapping("/gated")
        Mono<String> gated(@RequestParam String operation) {
            return Mono.fromCallable(() -> {
                        int run = Work.run(operation);
                        Work.await(operation);
                        return "done " + run;
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        }

        @PostMapping("/gated-failure")
        Mono<String> gatedFailure(@RequestParam String operation) {
            return gated(operation).flatMap(done -> Mono.error(new IllegalStateException(done)));
        }

        @PostMapping("/deferred")
        Mono<ResponseEntity<String>> deferred(@RequestParam String operation) {
            return gated(operation).map(ResponseEntity::ok);
        }

        @PostMapping("/impatient")
        Mono<String> impatient(@RequestParam String operation) {
            CompletableFuture<String> work = CompletableFuture.supplyAsync(() -> {
                int run = Work.run(operation);
                Work.await(operation);
                return "done " + run;
            });
            return Mono.fromFuture(work).timeout(Duration.ofMillis(100));
        }

        @PostMapping("/throws")
        Mono<String> fail(@RequestParam String operation) {
            Work.run(operation);
            return Mono.error(new IllegalStateException("planned"));
        }

        @PostMapping("/status/{status}")
        ResponseEntity<String> status(@RequestParam String operation, @PathVariable int status) {
            Work.run(operation);
            return ResponseEntity.status(status).body("status " + status);
        }

        @PostMapping("/thrown/{status}")
        Mono<String> thrown(@RequestParam String operation, @PathVariable int status) {
            Work.run(operation);
            return Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(status), "planned"));
        }

        @PostMapping("/annotated")
        Mono<String> annotated(@RequestParam String operation) {
            Work.run(operation);
            return Mono.error(new HttpContract.ConflictException());
        }

        @PostMapping("/large")
        ResponseEntity<String> large(@RequestParam String operation, @RequestParam int size) {
            Work.run(operation);
            return ResponseEntity.ok().eTag("7").body("x".repeat(size));
        }

        @PostMapping("/form")
        Mono<String> form(@RequestParam String operation, ServerWebExchange exchange) {
            return exchange.getFormData()
                    .map(form -> "run " + Work.run(operation) + ": " + form.getFirst("amount") + " to "
                            + form.getFirst("to"));
        }

        @PostMapping("/upload")
        Mono<String> upload(@RequestParam String operation, @RequestPart FilePart file) {
            return DataBufferUtils.join(file.content()).map(content -> {
                byte[] bytes = new byte[content.readableByteCount()];
                content.read(bytes);
                DataBufferUtils.release(content);
                return "run " + Work.run(operation) + ": " + new String(bytes, StandardCharsets.UTF_8);
            });
        }

        @PostMapping(path = "/stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> stream(@RequestParam String operation) {
            Work.run(operation);
            return Flux.just("one")
                    .concatWith(Mono.fromCallable(() -> {
                                Work.await(operation);
                                return "two";
                            })
                            .subscribeOn(Schedulers.boundedElastic()));
        }

        @PostMapping("/gated-large")
        Mono<String> gatedLarge(@RequestParam String operation) {
            return gated(operation).map(done -> done + "x".repeat(100_000));
        }

        @PostMapping(path = "/pieces", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
        Flux<byte[]> pieces(@RequestParam String operation) {
            Work.run(operation);
            return Flux.just(new byte[100_000])
                    .concatWith(Flux.defer(() -> {
                                Work.await(operation);
                                return Flux.just(new byte[100_000], new byte[100_000]);
                            })
                            .subscribeOn(Schedulers.boundedElastic()));
        }

        @PostMapping(path = "/endless-events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> endlessEvents(@RequestParam String operation) {
            Work.run(operation);
            return Flux.<String>generate(sink -> sink.next("x".repeat(1000)));
        }

        @PostMapping(path = "/endless-download", produces = MediaType.APPLICATION_NDJSON_VALUE)
        Flux<Map<String, String>> endlessDownload(@RequestParam String operation) {
            Work.run(operation);
            return Flux.generate(sink -> sink.next(Map.of("text", "x".repeat(1000))));
        }

        @PostMapping(path = "/late-stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> lateStream(@RequestParam String operation) {
            return gated(operation).flux();
        }

        @PostMapping("/context")
        String context(@RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return dedup.key().messageId() + ", attempt " + dedup.attempt();
        }

        @CrossOrigin(origins = "https://shop.example", exposedHeaders = REPLAYED)
        @PostMapping("/cross-origin")
        String crossOrigin(@RequestParam String operation) {
            return "run " + Work.run(operation);
        }

        @PostMapping("/half")
        Flux<byte[]> half(@RequestParam String operation) {
            Work.run(operation);
            return Flux.just("half".getBytes(StandardCharsets.UTF_8)).concatWith(Mono.error(new HalfException()));
        }

        @ExceptionHandler(HalfException.class)
        ResponseEntity<String> failed() {
            return ResponseEntity.status(422).body("failed");
        }

        @PostMapping(path = "/events-failure", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> eventsFailure(@RequestParam String operation) {
            Work.run(operation);
            return Flux.just("one").concatWith(Mono.error(new SilentException()));
        }

        @PostMapping(path = "/events-thrown", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> eventsThrown(@RequestParam String operation) {
            Work.run(operation);
            return Flux.just("one").concatWith(Mono.error(new ResponseStatusException(HttpStatusCode.valueOf(422))));
        }

        @PostMapping(path = "/pieces-failure", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
        Flux<byte[]> piecesFailure(@RequestParam String operation) {
            Work.run(operation);
            return Flux.just(new byte[100_000]).concatWith(Mono.error(new SilentException()));
        }

        @ExceptionHandler(SilentException.class)
        ResponseEntity<Void> silent() {
            return ResponseEntity.status(503).build();
        }

        @PostMapping(path = "/events-half", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> eventsHalf(@RequestParam String operation) {
            Work.run(operation);
            return Flux.error(new HalfException());
        }

        @PostMapping("/accepted")
        Mono<ResponseEntity<String>> accepted(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return accepting(operation, dedup)
                    .map(done ->
                            ResponseEntity.created(URI.create("/payments/1")).body(done));
        }

        @PostMapping("/accepted-silently")
        Mono<ResponseEntity<Void>> acceptedSilently(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return accepting(operation, dedup)
                    .map(done ->
                            ResponseEntity.created(URI.create("/payments/1")).build());
        }

        @PostMapping(path = "/accepted-stream", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
        Flux<String> acceptedStream(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return Flux.just("begun").concatWith(accepting(operation, dedup));
        }

        private static Mono<String> accepting(String operation, DedupContext dedup) {
            return Mono.fromCallable(() -> Work.accept(operation, dedup)).subscribeOn(Schedulers.boundedElastic());
        }

        @PostMapping("/nothing")
        ResponseEntity<Void> nothing(@RequestParam String operation) {
            Work.run(operation);
            return ResponseEntity.noContent().build();
        }
    }

    private static final class SilentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class HalfException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    @DisplayName(
            "if the content fails while it is held, the client gets the answer to the failure, and nothing of the content")
    void failsWhileHeld() {
        HttpResponse<String> first = post("/stored/half", "10");
        assertThat(first.statusCode()).isEqualTo(422);
        assertThat(first.body()).isEqualTo("failed");
        HttpResponse<String> second = post("/stored/half", "10");
        assertThat(isReplay(second)).isTrue();
        assertThat(second.body()).isEqualTo("failed");
        assertThat(runs()).isEqualTo(1);
    }

    private HttpResponse<String> unreadable(String reader) {
        return send(request("/api/payments")
                .header("X-Unreadable", reader)
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("10")));
    }

    @Test
    @DisplayName("a success whose response cannot be kept is done, without it")
    void unreadable() {
        HttpResponse<String> first = unreadable("stored");
        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).isEqualTo("run 1 of 10");
        HttpResponse<String> second = post("/api/payments", "10");
        assertThat(isReplay(second)).isTrue();
        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a response whose status cannot be read is a failure: its key isn't claimed for long")
    void unknownStatus() {
        assertThat(unreadable("status").statusCode()).isEqualTo(500);
        assertThat(post("/api/payments", "10").body()).isEqualTo("run 2 of 10");
    }

    @Test
    @DisplayName("a stream that fails before its first piece is answered as any other failure")
    void failsBeforeItStreams() {
        assertThat(post("/stored/events-half", "10").statusCode()).isEqualTo(422);
        HttpResponse<String> second = post("/stored/events-half", "10");
        assertThat(isReplay(second)).isTrue();
        assertThat(second.statusCode()).isEqualTo(422);
        assertThat(second.body()).contains("failed");
        assertThat(runs()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/events-failure", "/api/pieces-failure", "/stored/events-thrown"})
    @DisplayName("a failure that comes too late for a status of its own releases the key")
    void failsTooLateForItsStatus(String path) {
        assertFailsTooLateForItsStatus(path);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/payments", "/api/nothing", "/small/large?size=100000", "/api/stream"})
    @DisplayName("a transaction around the handler, behind the filter, whose commit fails releases the key")
    void commitFails(String path) {
        boolean sent = path.contains("large") || path.endsWith("stream");
        int status = sending(committed(path))
                .handle((response, cutOff) -> response == null ? 0 : response.statusCode())
                .join();
        assertThat(status)
                .as("what the client was told, or 0 if it was cut off")
                .isEqualTo(sent ? 0 : 500);
        HttpResponse<String> second = await().until(() -> send(committed(path)), each -> each.statusCode() != 409);
        assertThat(isReplay(second)).isFalse();
        assertThat(second.statusCode()).isLessThan(300);
        assertThat(runs()).isEqualTo(2);
        HttpResponse<String> third = await().until(() -> send(committed(path)), each -> each.statusCode() != 409);
        assertThat(isReplay(third)).isTrue();
        assertThat(runs()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/gated", "/small/pieces", "/api/stream"})
    @DisplayName("a handler that a filter behind stops waiting for may go on: its key stays claimed")
    void timesOutBehind(String path) {
        Work.close(operation);
        boolean failed = sending(request(path).header("X-Timeout", "short").POST(BodyPublishers.ofString("10")))
                .handle((response, cutOff) -> cutOff != null || response.statusCode() == 500)
                .join();
        assertThat(failed).isTrue();
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post(path, "10").statusCode() == 409);
        Work.open(operation);
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post(path, "10").statusCode() == 409);
        assertThat(runs()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/brief/gated", "/brief/late-stream"})
    @DisplayName("work that has ended, and waits for a thread that records it: no copy of its request runs")
    void recordedLate(String path) {
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first = sending(request(path).POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        CountDownLatch busy = occupySettlements(application);
        try {
            Work.open(operation);
            await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(20)).until(() -> {
                var copy = sending(request(path).POST(BodyPublishers.ofString("10")));
                return copy.completeOnTimeout(null, 5, TimeUnit.SECONDS).join() != null && runs() == 1;
            });
        } finally {
            busy.countDown();
        }
        assertThat(first.join().body()).contains("done 1");
        assertThat(isReplay(send(request(path).POST(BodyPublishers.ofString("10")))))
                .isTrue();
        assertThat(runs()).isEqualTo(1);
    }

    private HttpRequest.Builder committed(String path) {
        return request(path)
                .header("Content-Type", "text/plain")
                .header("X-Commit", operation)
                .POST(BodyPublishers.ofString("10"));
    }

    @Override
    boolean noticesAtOnce() {
        return true;
    }

    @Test
    @DisplayName("a stream whose client goes away before its first piece leaves its key claimed")
    void cutOffBeforeItBegins() throws IOException {
        Work.close(operation);
        hangUp("/api/late-stream", 0);
        await().until(() -> Work.hasLeft(operation));
        Work.open(operation);
        await().during(Duration.ofMillis(300))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post("/api/late-stream", "10").statusCode() == 409);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("copies that wait for a request in flight don't keep others from running, whichever thread it needs")
    void waitingCopies() {
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first =
                sending(request("/waiting/gated").POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        List<CompletableFuture<HttpResponse<String>>> copies = new ArrayList<>();
        for (int i = 0; i < 10 * Runtime.getRuntime().availableProcessors() + 30; i++) {
            copies.add(sending(request("/waiting/gated").POST(BodyPublishers.ofString("10"))));
        }
        await().during(Duration.ofMillis(500)).until(() -> copies.stream().noneMatch(CompletableFuture::isDone));
        assertThat(sending(request("/api/payments")
                                .setHeader("Idempotency-Key", "other-" + operation)
                                .POST(BodyPublishers.ofString("10")))
                        .orTimeout(5, TimeUnit.SECONDS)
                        .join()
                        .statusCode())
                .isEqualTo(201);
        Work.open(operation);
        assertThat(first.join().body()).isEqualTo("done 1");
        assertThat(copies).allSatisfy(each -> {
            assertThat(each.join().body()).isEqualTo("done 1");
            assertThat(isReplay(each.join())).isTrue();
        });
    }

    @BeforeAll
    static void start() {
        List<String> arguments = new ArrayList<>(PROPERTIES);
        arguments.add("--dedup.http.paths.unguarded.path=/unguarded/**");
        arguments.add("--dedup.http.paths.unguarded.on-store-failure=process");
        arguments.add("--spring.datasource.generate-unique-name=true");
        SpringApplication app = new SpringApplication(App.class);
        app.setWebApplicationType(WebApplicationType.REACTIVE);
        application = app.run(arguments.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Override
    ConfigurableApplicationContext application() {
        return application;
    }

    @Test
    @DisplayName("while the store is down, a request is 503 and doesn't run")
    void storeDown() {
        FaultyStore store = application.getBean(FaultyStore.class);
        store.down();
        try {
            HttpResponse<String> response = post("/api/payments", "10");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
            assertThat(runs()).isZero();
        } finally {
            store.heal();
        }
        assertThat(post("/api/payments", "10").statusCode()).isEqualTo(201);
    }

    @Test
    @DisplayName(
            "if the store is down when the handler ends, the client gets its response, and a duplicate the same one later")
    void storeDownAtTheEnd() {
        FaultyStore store = application.getBean(FaultyStore.class);
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first =
                sending(request("/api/gated").POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        store.down();
        try {
            Work.open(operation);
            assertThat(first.join().body()).isEqualTo("done 1");
        } finally {
            store.heal();
        }
        await().untilAsserted(() -> assertThat(
                        isReplay(send(request("/api/gated").POST(BodyPublishers.ofString("10")))))
                .isTrue());
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("with on-store-failure: process, a request runs unguarded while the store is down")
    void unguarded() {
        FaultyStore store = application.getBean(FaultyStore.class);
        store.down();
        try {
            assertThat(post("/unguarded/payments", "10").statusCode()).isEqualTo(201);
            assertThat(runs()).isEqualTo(1);
            HttpResponse<String> second = post("/unguarded/payments", "10");
            assertThat(isReplay(second)).isTrue(); // this process knows
            assertThat(second.body()).isEqualTo("run 1 of 10");
        } finally {
            store.heal();
        }
    }
}
