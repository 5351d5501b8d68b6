package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.DedupContexts;
import io.dedup.http.HttpDedup;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
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
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.web.bind.annotation.CrossOrigin;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/** Spring MVC on Tomcat; two instances of the application share a table on PostgreSQL. */
class ServletTest extends HttpContract {
    private static SqlDatabase database;
    private static ConfigurableApplicationContext application;
    private static @Nullable ConfigurableApplicationContext other;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Api.class)
    static class App {
        @Bean
        FilterRegistrationBean<Filter> transactions(PlatformTransactionManager manager) {
            FilterRegistrationBean<Filter> transactions = new FilterRegistrationBean<>((request, response, chain) -> {
                boolean open = ((HttpServletRequest) request).getHeader("X-Transaction") != null;
                TransactionStatus transaction = open ? manager.getTransaction(null) : null;
                try {
                    chain.doFilter(request, response);
                } finally {
                    if (transaction != null) {
                        manager.rollback(transaction);
                    }
                }
            });
            transactions.setOrder(-95);
            return transactions;
        }

        @Bean
        FilterRegistrationBean<Filter> users() {
            FilterRegistrationBean<Filter> users = new FilterRegistrationBean<>((request, response, chain) -> {
                String user = ((HttpServletRequest) request).getHeader("X-User");
                chain.doFilter(user == null ? request : new AsUser((HttpServletRequest) request, user), response);
            });
            users.setOrder(-100); // as Spring Security
            return users;
        }

        /** Answers in place of what is behind it when a result is dispatched. */
        @Bean
        FilterRegistrationBean<Filter> gateways() {
            FilterRegistrationBean<Filter> gateways = new FilterRegistrationBean<>((request, response, chain) -> {
                String status = ((HttpServletRequest) request).getHeader("X-Dispatch-Answer");
                if (status == null) {
                    chain.doFilter(request, response);
                } else {
                    ((HttpServletResponse) response).setStatus(Integer.parseInt(status));
                }
            });
            gateways.setDispatcherTypes(DispatcherType.ASYNC);
            gateways.setOrder(-95);
            return gateways;
        }

        /** Throws when what is behind it has returned. */
        @Bean
        FilterRegistrationBean<Filter> failing() {
            FilterRegistrationBean<Filter> failing = new FilterRegistrationBean<>((request, response, chain) -> {
                chain.doFilter(request, response);
                if (((HttpServletRequest) request).getHeader("X-Throw") != null) {
                    await().until(() -> Work.runs(request.getParameter("operation")) == 1);
                    throw new IllegalStateException("planned");
                }
            });
            failing.setOrder(0);
            return failing;
        }
    }

    private static final class AsUser extends HttpServletRequestWrapper {
        private final String user;

        AsUser(HttpServletRequest request, String user) {
            super(request);
            this.user = user;
        }

        @Override
        public Principal getUserPrincipal() {
            return () -> user;
        }
    }

    @RestController
    @RequestMapping({"/api", "/stored", "/optional", "/small", "/tenant", "/waiting", "/brief", "/other"})
    static class Api {
        private final CardService cards;

        Api(DedupContexts contexts) {
            this.cards = new CardService(contexts);
        }

        @PostMapping("/stepped")
        String stepped(@RequestParam String operation) {
            return cards.charge(operation);
        }

        @RequestMapping("/payments")
        ResponseEntity<String> pay(@RequestParam String operation, @RequestBody(required = false) String body) {
            int run = Work.run(operation);
            return ResponseEntity.created(URI.create("/payments/1"))
                    .eTag("7")
                    .header("Set-Cookie", "session=" + run)
                    .header("X-Request-Number", "5")
                    .body("run " + run + " of " + body);
        }

        @PostMapping("/echo")
        String echo(@RequestBody String body) {
            return body;
        }

        @PostMapping("/gated")
        String gated(@RequestParam String operation) {
            int run = Work.run(operation);
            Work.await(operation);
            return "done " + run;
        }

        @PostMapping("/gated-failure")
        String gatedFailure(@RequestParam String operation) {
            throw new IllegalStateException(gated(operation));
        }

        @PostMapping("/deferred")
        DeferredResult<String> deferred(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>();
            var unused = CompletableFuture.runAsync(() -> result.setResult(gated(operation)));
            return result;
        }

        @PostMapping("/gated-task")
        Callable<String> gatedTask(@RequestParam String operation) {
            return () -> gated(operation);
        }

        @PostMapping("/impatient")
        CompletableFuture<String> impatient(@RequestParam String operation) {
            return CompletableFuture.supplyAsync(() -> gated(operation)).orTimeout(100, TimeUnit.MILLISECONDS);
        }

        @PostMapping("/late")
        DeferredResult<String> late(@RequestParam String operation) {
            Work.run(operation);
            return new DeferredResult<>(50L);
        }

        @PostMapping("/throws")
        String fail(@RequestParam String operation) {
            Work.run(operation);
            throw new IllegalStateException("planned");
        }

        @PostMapping("/status/{status}")
        ResponseEntity<String> status(@RequestParam String operation, @PathVariable int status) {
            Work.run(operation);
            return ResponseEntity.status(status).body("status " + status);
        }

        @PostMapping("/annotated")
        String annotated(@RequestParam String operation) {
            Work.run(operation);
            throw new ConflictException();
        }

        @PostMapping("/thrown/{status}")
        String thrown(@RequestParam String operation, @PathVariable int status) {
            Work.run(operation);
            throw new ResponseStatusException(HttpStatusCode.valueOf(status), "planned");
        }

        @PostMapping("/large")
        ResponseEntity<String> large(@RequestParam String operation, @RequestParam int size) {
            Work.run(operation);
            return ResponseEntity.ok().eTag("7").body("x".repeat(size));
        }

        @PostMapping("/gated-large")
        String gatedLarge(@RequestParam String operation) {
            return gated(operation) + "x".repeat(100_000);
        }

        @PostMapping("/pieces")
        void pieces(@RequestParam String operation, HttpServletResponse response) throws IOException {
            Work.run(operation);
            byte[] piece = new byte[100_000];
            response.getOutputStream().write(piece);
            Work.await(operation);
            for (int i = 0; i < 20; i++) {
                response.getOutputStream().write(piece);
            }
        }

        @PostMapping("/large-failure")
        void largeFailure(@RequestParam String operation, HttpServletResponse response) throws IOException {
            Work.run(operation);
            response.getOutputStream().write(new byte[100_000]);
            throw new IllegalStateException("planned");
        }

        @PostMapping("/endless-events")
        SseEmitter endlessEvents(@RequestParam String operation) {
            SseEmitter emitter = new SseEmitter();
            Work.run(operation);
            var unused = CompletableFuture.runAsync(() -> {
                try {
                    while (true) {
                        emitter.send("x".repeat(1000));
                        LockSupport.parkNanos(100_000); // it keeps all until the response begins, and has one lock
                    }
                } catch (IOException | IllegalStateException e) { // the latter if Tomcat notices between two events
                    try {
                        emitter.completeWithError(e); // which Tomcat refuses if it is about to report the error
                    } finally {
                        Work.left(operation);
                    }
                }
            });
            return emitter;
        }

        @PostMapping("/endless-download")
        StreamingResponseBody endlessDownload(@RequestParam String operation) {
            Work.run(operation);
            return out -> {
                try {
                    while (true) {
                        out.write(new byte[1000]);
                    }
                } catch (IOException e) {
                    Work.left(operation);
                    throw e;
                }
            };
        }

        @PostMapping("/late-stream")
        SseEmitter lateStream(@RequestParam String operation) throws IOException {
            SseEmitter emitter = new SseEmitter(100L);
            Work.run(operation);
            emitter.send("one");
            return emitter;
        }

        @PostMapping("/failed-later")
        DeferredResult<String> failedLater(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>();
            Work.run(operation);
            var unused = CompletableFuture.runAsync(() -> result.setErrorResult(new IllegalStateException("planned")));
            return result;
        }

        @PostMapping("/form")
        String form(@RequestParam String operation, @RequestParam String amount, @RequestParam String to) {
            return "run " + Work.run(operation) + ": " + amount + " to " + to;
        }

        @PostMapping("/upload")
        String upload(@RequestParam String operation, @RequestParam MultipartFile file) throws IOException {
            return "run " + Work.run(operation) + ": " + new String(file.getBytes(), StandardCharsets.UTF_8);
        }

        @PostMapping("/stream")
        SseEmitter stream(@RequestParam String operation) {
            SseEmitter emitter = new SseEmitter();
            Work.run(operation);
            var unused = CompletableFuture.runAsync(() -> {
                try {
                    emitter.send("one");
                    Work.await(operation);
                    emitter.send("two");
                    emitter.complete();
                } catch (IOException e) {
                    emitter.completeWithError(e);
                }
            });
            return emitter;
        }

        @PostMapping(path = "/download", produces = MediaType.TEXT_PLAIN_VALUE)
        StreamingResponseBody download(@RequestParam String operation) {
            int run = Work.run(operation);
            return out -> out.write(("download " + run).getBytes(StandardCharsets.UTF_8));
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

        @PostMapping("/accepted")
        CompletableFuture<ResponseEntity<String>> accepted(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return CompletableFuture.supplyAsync(
                    () -> ResponseEntity.created(URI.create("/payments/1")).body(Work.accept(operation, dedup)));
        }

        @PostMapping("/accepted-silently")
        CompletableFuture<ResponseEntity<Void>> acceptedSilently(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return CompletableFuture.supplyAsync(() -> Work.accept(operation, dedup))
                    .thenApply(done ->
                            ResponseEntity.created(URI.create("/payments/1")).build());
        }

        @PostMapping("/accepted-stream")
        StreamingResponseBody acceptedStream(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return out -> {
                out.write("begun ".getBytes(StandardCharsets.UTF_8));
                out.flush();
                out.write(Work.accept(operation, dedup).getBytes(StandardCharsets.UTF_8));
            };
        }

        @PostMapping("/nothing")
        ResponseEntity<Void> nothing(@RequestParam String operation) {
            Work.run(operation);
            return ResponseEntity.noContent().build();
        }

        /** Ends without a dispatch. */
        @PostMapping("/raw")
        void raw(@RequestParam String operation, HttpServletRequest request, HttpServletResponse response) {
            int run = Work.run(operation);
            AsyncContext context = request.startAsync(request, response);
            context.start(() -> {
                try {
                    response.setContentType("text/plain");
                    context.getResponse().getWriter().write("raw " + run);
                    context.complete();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        @PostMapping("/raw-dispatch")
        void rawDispatch(@RequestParam String operation, HttpServletRequest request) {
            Work.run(operation);
            request.startAsync().dispatch();
        }

        @PostMapping("/raw-failure")
        void rawFailure(@RequestParam String operation, HttpServletRequest request, HttpServletResponse response) {
            Work.run(operation);
            AsyncContext context = request.startAsync(request, response);
            context.start(() -> {
                try {
                    ((HttpServletResponse) context.getResponse()).sendError(500);
                    context.complete();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }

        /** What it writes is held, because it is written before the request is asynchronous. */
        @PostMapping("/raw-held")
        void rawHeld(@RequestParam String operation, HttpServletRequest request, HttpServletResponse response)
                throws IOException {
            response.setContentType("text/plain");
            response.getWriter().write("held " + Work.run(operation));
            AsyncContext context = request.startAsync(request, response);
            context.start(context::complete);
        }

        /** The step of the first attempt is stopped. */
        @PostMapping("/raw-accepted")
        void rawAccepted(
                @RequestParam String operation,
                @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup,
                HttpServletRequest request,
                HttpServletResponse response) {
            AsyncContext context = request.startAsync(request, response);
            context.start(() -> {
                Work.accept(operation, dedup);
                response.setStatus(201);
                context.complete();
            });
        }

        /** Never ends, and answers its timeout itself. */
        @PostMapping("/raw-timeout")
        void rawTimeout(@RequestParam String operation, HttpServletRequest request, HttpServletResponse response) {
            Work.run(operation);
            AsyncContext started = request.startAsync(request, response);
            started.setTimeout(50);
            started.addListener(new AsyncListener() {
                @Override
                public void onTimeout(AsyncEvent event) throws IOException {
                    ((HttpServletResponse) event.getAsyncContext().getResponse()).sendError(504);
                    event.getAsyncContext().complete();
                }

                @Override
                public void onComplete(AsyncEvent event) {}

                @Override
                public void onError(AsyncEvent event) {}

                @Override
                public void onStartAsync(AsyncEvent event) {}
            });
        }

        /** Fails because a connection of its own broke, which Spring takes for one of its client's. */
        @PostMapping("/broken")
        ResponseEntity<String> broken(@RequestParam String operation) {
            Work.run(operation);
            throw new IllegalStateException("planned", new SQLException("planned", new EOFException()));
        }

        @PostMapping("/broken-later")
        CompletableFuture<String> brokenLater(@RequestParam String operation) {
            Work.run(operation);
            return CompletableFuture.failedFuture(new IOException("Connection reset by peer"));
        }

        /** Has begun its answer before it fails. */
        @PostMapping("/broken-begun")
        void brokenBegun(@RequestParam String operation, HttpServletResponse response) throws IOException {
            response.setStatus(201);
            response.getOutputStream().write(Work.run(operation));
            throw new EOFException();
        }

        @PostMapping("/broken-answered")
        String brokenAnswered(@RequestParam String operation) {
            Work.run(operation);
            throw new AnsweredException();
        }

        @ExceptionHandler
        ResponseEntity<Void> answered(AnsweredException e) {
            return ResponseEntity.accepted().build();
        }

        @PostMapping("/download-failure")
        StreamingResponseBody downloadFailure(@RequestParam String operation) {
            Work.run(operation);
            return out -> {
                out.write(new byte[100_000]);
                throw new ResponseStatusException(HttpStatusCode.valueOf(503));
            };
        }

        @PostMapping("/download-broken")
        StreamingResponseBody downloadBroken(@RequestParam String operation) {
            Work.run(operation);
            return out -> {
                out.write(1);
                throw new EOFException();
            };
        }

        @PostMapping("/events-failure")
        SseEmitter eventsFailure(@RequestParam String operation) throws IOException {
            SseEmitter emitter = new SseEmitter();
            Work.run(operation);
            emitter.send("one");
            emitter.completeWithError(new SilentException());
            return emitter;
        }

        @ResponseStatus(HttpStatus.SERVICE_UNAVAILABLE)
        @ExceptionHandler(SilentException.class)
        void silent() {}

        @PostMapping("/large-thrown")
        void largeThrown(@RequestParam String operation, HttpServletResponse response) throws IOException {
            Work.run(operation);
            response.getOutputStream().write(new byte[100_000]);
            throw new ResponseStatusException(HttpStatusCode.valueOf(503));
        }

        @PostMapping("/large-viewed")
        void largeViewed(@RequestParam String operation, HttpServletResponse response) throws IOException {
            Work.run(operation);
            response.getOutputStream().write(new byte[100_000]);
            throw new ViewedException();
        }

        @ExceptionHandler(ViewedException.class)
        ModelAndView viewed() {
            View nothing = (model, request, response) -> {};
            ModelAndView view = new ModelAndView(nothing);
            view.setStatus(HttpStatus.SERVICE_UNAVAILABLE);
            return view;
        }

        @PostMapping("/redirect")
        void redirect(@RequestParam String operation, HttpServletResponse response) throws IOException {
            Work.run(operation);
            response.sendRedirect("/elsewhere");
        }
    }

    private static final class AnsweredException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        AnsweredException() {
            super(new EOFException());
        }
    }

    private static final class SilentException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private static final class ViewedException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Code further down. */
    private static final class CardService {
        private final DedupContexts contexts;

        CardService(DedupContexts contexts) {
            this.contexts = contexts;
        }

        String charge(String operation) {
            DedupContext context = contexts.current();
            String charge = context.step("charge", String.class, () -> "charge " + Work.run(operation));
            if (context.attempt() == 1) {
                throw new IllegalStateException("the mail server is down");
            }
            return charge;
        }
    }

    @Test
    @DisplayName("a request that is sent again goes on at the step that hasn't run, of code below its controller")
    void steps() {
        assertThat(post("/api/stepped", "10").statusCode()).isEqualTo(500);
        assertThat(post("/api/stepped", "10").body()).isEqualTo("charge 1");
        assertThat(runs()).isEqualTo(1);
    }

    @BeforeAll
    static void start() {
        database = PostgresServers.newDatabase();
        application = open();
    }

    private static ConfigurableApplicationContext open() {
        List<String> arguments = new ArrayList<>(PROPERTIES);
        arguments.addAll(List.of(
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.user(),
                "--spring.datasource.password=" + database.password(),
                "--dedup.store=jdbc",
                "--dedup.jdbc.initialize-schema=always",
                "--dedup.shutdown-timeout=1s")); // the work of asyncTimeout never ends
        SpringApplication app = new SpringApplication(App.class);
        app.setWebApplicationType(WebApplicationType.SERVLET);
        return app.run(arguments.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        if (other != null) {
            other.close();
        }
        application.close();
        database.close();
    }

    @Override
    ConfigurableApplicationContext application() {
        return application;
    }

    @Test
    @DisplayName("an instance replays what another one has handled")
    void twoInstances() {
        post("/api/payments", "10");
        other = open();
        HttpResponse<String> second = send(HttpRequest.newBuilder(
                        URI.create("http://localhost:" + portOf(other) + "/api/payments?operation=" + operation))
                .header("Idempotency-Key", "key-" + operation)
                .POST(BodyPublishers.ofString("10")));
        assertThat(second.body()).isEqualTo("run 1 of 10");
        assertThat(isReplay(second)).isTrue();
    }

    @Test
    @DisplayName("while the store is down, a request is 503 and doesn't run")
    void storeDown() throws SQLException {
        sql("ALTER TABLE dedup_record RENAME TO elsewhere");
        try {
            HttpResponse<String> response = post("/api/payments", "10");
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
            assertThat(runs()).isZero();
        } finally {
            sql("ALTER TABLE elsewhere RENAME TO dedup_record");
        }
        assertThat(post("/api/payments", "10").statusCode()).isEqualTo(201);
    }

    private static void sql(String statement) throws SQLException {
        try (Connection connection = database.connect();
                Statement sql = connection.createStatement()) {
            sql.execute(statement);
        }
    }

    @Test
    @DisplayName("a request that times out may still be working: its key stays claimed")
    void asyncTimeout() {
        assertThat(post("/api/late", "10").statusCode()).isEqualTo(503);
        assertThat(post("/api/late", "10").statusCode()).isEqualTo(409);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a stream that times out may still be working: its key stays claimed")
    void streamTimeout() {
        assertThat(post("/api/late-stream", "10").body()).contains("data:one");
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post("/api/late-stream", "10").statusCode() == 409);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a failure after a part of the response was sent releases the key")
    void failsWhileSending() {
        for (int run = 1; run <= 2; run++) {
            var response = sending(request("/api/large-failure").POST(BodyPublishers.ofString("10")));
            assertThat(response.handle((ended, cutOff) -> cutOff != null).join())
                    .as("the client notices that the response is incomplete")
                    .isTrue();
            assertThat(runs()).isEqualTo(run);
        }
    }

    @Test
    @DisplayName("asynchronous work that fails releases the key")
    void failsLater() {
        assertThat(post("/api/failed-later", "10").statusCode()).isEqualTo(500);
        assertThat(post("/api/failed-later", "10").statusCode()).isEqualTo(500);
        assertThat(runs()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/broken", "/api/broken-later", "/api/broken-begun", "/small/broken"})
    @DisplayName(
            "a connection of the handler's own that breaks is a failure, although Spring takes it for its client's")
    void brokenDownstream(String path) {
        for (int run = 1; run <= 2; run++) {
            HttpResponse<String> response = post(path, "10");
            assertThat(response.statusCode()).isEqualTo(500);
            assertThat(isReplay(response)).isFalse();
            assertThat(runs()).isEqualTo(run);
        }
    }

    @Test
    @DisplayName("what an exception handler of the application makes of such a failure is the answer, and is stored")
    void brokenDownstreamIsAnswered() {
        assertThat(post("/api/broken-answered", "10").statusCode()).isEqualTo(202);
        HttpResponse<String> second = post("/api/broken-answered", "10");
        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(isReplay(second)).isTrue();
        assertThat(runs()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/download-failure",
                "/api/download-broken",
                "/api/events-failure",
                "/api/large-thrown",
                "/api/large-viewed",
            })
    @DisplayName("a failure that comes too late for a status of its own releases the key")
    void failsTooLateForItsStatus(String path) {
        assertFailsTooLateForItsStatus(path);
    }

    @Test
    @DisplayName(
            "a success that a filter in front answers itself when it is dispatched is done, and its response isn't known")
    void successAnsweredInFront() {
        assertThat(send(answeredInFront("/api/deferred", 503)).statusCode()).isEqualTo(503);
        assertThat(afterFlight("/api/deferred").statusCode()).isEqualTo(204);
        assertThat(isReplay(post("/api/deferred", "10"))).isTrue();
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a failure that a filter in front answers with 200 when it is dispatched releases the key")
    void failureAnsweredInFront() {
        assertThat(send(answeredInFront("/api/failed-later", 200)).statusCode()).isEqualTo(200);
        assertThat(afterFlight("/api/failed-later").statusCode()).isEqualTo(500);
        assertThat(runs()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/late", "/api/raw-dispatch"})
    @DisplayName("work of whose end nothing is known keeps its claim, whatever a filter in front answers")
    void unknownAnsweredInFront(String path) {
        assertThat(send(answeredInFront(path, 200)).statusCode()).isEqualTo(200);
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post(path, "10").statusCode() == 409);
        assertThat(runs()).isEqualTo(1);
    }

    private HttpRequest.Builder answeredInFront(String path, int status) {
        return request(path)
                .header("Content-Type", "text/plain")
                .header("X-Dispatch-Answer", Integer.toString(status))
                .POST(BodyPublishers.ofString("10"));
    }

    private HttpResponse<String> afterFlight(String path) {
        return await().until(() -> post(path, "10"), response -> response.statusCode() != 409);
    }

    @Test
    @DisplayName(
            "a filter behind that throws when asynchronous work has begun doesn't release its key: the work goes on")
    void throwsBesideItsWork() {
        Work.close(operation);
        assertThat(send(throwing("/api/deferred")).statusCode()).isEqualTo(500);
        assertThat(post("/api/deferred", "10").statusCode()).isEqualTo(409);
        Work.open(operation);
        assertThat(isReplay(afterFlight("/api/deferred"))).isTrue();
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "nor does it keep the key of a Callable: its own end settles it, also if the container calls no listener")
    void throwsBesideItsTask() {
        Work.close(operation);
        assertThat(send(throwing("/api/gated-task")).statusCode()).isEqualTo(500);
        Work.open(operation);
        assertThat(afterFlight("/api/gated-task").statusCode()).isEqualTo(200);
    }

    private HttpRequest.Builder throwing(String path) {
        return request(path)
                .header("Content-Type", "text/plain")
                .header("X-Throw", "now")
                .POST(BodyPublishers.ofString("10"));
    }

    @Test
    @DisplayName("a download is stored when it has ended")
    void download() {
        assertThat(post("/api/download", "10").body()).isEqualTo("download 1");
        assertThat(post("/api/download", "10").body()).isEqualTo("download 1");
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("asynchronous work that ends without a dispatch reaches its client, and is stored")
    void withoutDispatch() {
        assertThat(post("/api/raw", "10").body()).isEqualTo("raw 1");
        await().untilAsserted(() -> {
            HttpResponse<String> second = post("/api/raw", "10");
            assertThat(isReplay(second)).isTrue();
            assertThat(second.body()).isEqualTo("raw 1");
        });
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("an error that is sent without a dispatch reaches its client, and releases the key")
    void errorWithoutDispatch() {
        assertThat(post("/api/raw-failure", "10").statusCode()).isEqualTo(500);
        await().until(() -> post("/api/raw-failure", "10").statusCode() != 409);
        assertThat(runs()).isEqualTo(2);
    }

    @Test
    @DisplayName("a body that was written before the request was asynchronous reaches its client, and is stored")
    void heldWithoutDispatch() {
        assertThat(post("/api/raw-held", "10").body()).isEqualTo("held 1");
        await().untilAsserted(() -> {
            HttpResponse<String> second = post("/api/raw-held", "10");
            assertThat(isReplay(second)).isTrue();
            assertThat(second.body()).isEqualTo("held 1");
        });
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "an error that a listener sends for a timeout reaches its client; the work may go on, and keeps its claim")
    void timeoutWithoutDispatch() {
        assertThat(post("/api/raw-timeout", "10").statusCode()).isEqualTo(504);
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post("/api/raw-timeout", "10").statusCode() == 409);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("work that ends without a dispatch although its step found the lease lost isn't done")
    void stoppedWithoutDispatch() {
        assertThat(post("/brief/raw-accepted", "10").statusCode()).isEqualTo(503);
        assertThat(runs()).isZero();
        await().until(() -> post("/brief/raw-accepted", "10").statusCode() == 201);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a redirect is replayed")
    void redirect() {
        HttpResponse<String> first = post("/api/redirect", "10");
        HttpResponse<String> second = post("/api/redirect", "10");
        assertThat(first.statusCode()).isEqualTo(302);
        assertThat(headers(second).get("location")).isEqualTo(headers(first).get("location"));
        assertThat(second.statusCode()).isEqualTo(302);
        assertThat(runs()).isEqualTo(1);
    }
}
