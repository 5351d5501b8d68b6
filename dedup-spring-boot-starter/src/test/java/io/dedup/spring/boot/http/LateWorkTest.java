package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupContext;
import io.dedup.http.HttpDedup;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testkit.faults.FaultyStore;
import io.dedup.testkit.faults.StoreFault;
import io.dedup.testkit.faults.StoreFault.Operation;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Asynchronous handlers of Spring MVC that work longer than their timeout, and longer than the lease. */
class LateWorkTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private static ConfigurableApplicationContext application;
    private static int port;

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String operation = UUID.randomUUID().toString();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Api.class)
    static class App {
        @Bean
        FaultyStore store() {
            return FaultyStore.around(new InMemoryDedupStore());
        }

        /** The work of /api/reset ends when the server knows that its client has gone away, and Spring doesn't. */
        @Bean
        FilterRegistrationBean<Filter> resets() {
            FilterRegistrationBean<Filter> resets = new FilterRegistrationBean<>((request, response, chain) ->
                    chain.doFilter(new ObservedRequest((HttpServletRequest) request), response));
            resets.addUrlPatterns("/api/reset");
            return resets;
        }

        @Bean
        RouterFunction<ServerResponse> functional() {
            return RouterFunctions.route()
                    .POST("/api/functional", request -> {
                        String operation = request.param("operation").orElseThrow();
                        return ServerResponse.async(
                                CompletableFuture.supplyAsync(() -> {
                                    String done = Api.work(operation);
                                    return ServerResponse.accepted().body(done);
                                }),
                                Duration.ofMillis(100));
                    })
                    .build();
        }
    }

    private static final class ObservedRequest extends HttpServletRequestWrapper {
        ObservedRequest(HttpServletRequest request) {
            super(request);
        }

        /** Its listener comes before Spring's. */
        @Override
        public AsyncContext startAsync(ServletRequest request, ServletResponse response) {
            AsyncContext started = super.startAsync(request, response);
            started.addListener(new AsyncListener() {
                @Override
                public void onError(AsyncEvent event) {
                    Api.PENDING.get(getParameter("operation")).setResult("done");
                }

                @Override
                public void onTimeout(AsyncEvent event) {}

                @Override
                public void onComplete(AsyncEvent event) {}

                @Override
                public void onStartAsync(AsyncEvent event) {}
            });
            return started;
        }
    }

    @RestController
    @RequestMapping({"/api", "/short", "/stored"})
    static class Api {
        static final Map<String, DeferredResult<String>> PENDING = new ConcurrentHashMap<>();

        @PostMapping("/reset")
        DeferredResult<String> reset(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>(60_000L);
            PENDING.put(operation, result);
            Work.run(operation);
            return result;
        }

        static String work(String operation) {
            int run = Work.run(operation);
            Work.await(operation);
            return "done " + run;
        }

        @PostMapping("/deferred")
        DeferredResult<String> deferred(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>(100L);
            var unused = CompletableFuture.runAsync(() -> result.setResult(work(operation)));
            return result;
        }

        @PostMapping("/deferred-created")
        DeferredResult<ResponseEntity<String>> created(@RequestParam String operation) {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>(100L);
            var unused = CompletableFuture.runAsync(() ->
                    result.setResult(ResponseEntity.created(URI.create("/1")).body(work(operation))));
            return result;
        }

        @PostMapping("/deferred-failure")
        DeferredResult<String> failure(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>(100L);
            var unused =
                    CompletableFuture.runAsync(() -> result.setErrorResult(new IllegalStateException(work(operation))));
            return result;
        }

        @PostMapping("/deferred-unavailable")
        DeferredResult<ResponseEntity<String>> unavailable(@RequestParam String operation) {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>(100L);
            var unused = CompletableFuture.runAsync(
                    () -> result.setResult(ResponseEntity.status(503).body(work(operation))));
            return result;
        }

        @PostMapping("/deferred-annotated")
        DeferredResult<String> annotated(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>(100L);
            var unused = CompletableFuture.runAsync(() -> {
                String unusedText = work(operation);
                result.setErrorResult(new HttpContract.ConflictException());
            });
            return result;
        }

        @PostMapping("/future")
        CompletableFuture<String> future(@RequestParam String operation) {
            return CompletableFuture.supplyAsync(() -> work(operation));
        }

        @PostMapping("/mono")
        Mono<String> mono(@RequestParam String operation) {
            return Mono.fromCallable(() -> work(operation)).subscribeOn(Schedulers.boundedElastic());
        }

        @PostMapping("/callable")
        WebAsyncTask<String> callable(@RequestParam String operation) {
            Callable<String> task = () -> {
                CompletableFuture<String> done = CompletableFuture.supplyAsync(() -> work(operation));
                while (!done.isDone()) {
                    Thread.interrupted(); // as code that takes no notice of the timeout
                    LockSupport.parkNanos(1_000_000);
                }
                return done.join();
            };
            return new WebAsyncTask<>(100L, task);
        }

        @PostMapping("/callable-failure")
        WebAsyncTask<String> callableFailure(@RequestParam String operation) {
            Callable<String> task = () -> {
                throw new IllegalStateException(
                        callable(operation).getCallable().call().toString());
            };
            return new WebAsyncTask<>(100L, task);
        }

        /** Answers its timeout, and works on. */
        @PostMapping("/callable-fallback")
        WebAsyncTask<String> callableFallback(@RequestParam String operation) {
            WebAsyncTask<String> task = callable(operation);
            task.onTimeout(() -> "try later");
            return task;
        }

        /** Nothing begins it before its timeout. */
        @PostMapping("/callable-queued")
        WebAsyncTask<String> callableQueued(@RequestParam String operation) {
            Work.run(operation);
            AsyncTaskExecutor queue = waiting -> {};
            WebAsyncTask<String> task = new WebAsyncTask<>(100L, queue, () -> "done");
            task.onTimeout(() -> "try later");
            return task;
        }

        /** Its timeout ends it, and is answered before that: else its exception may be the answer. */
        @PostMapping("/callable-interrupted")
        WebAsyncTask<String> callableInterrupted(@RequestParam String operation) {
            Work.run(operation);
            WebAsyncTask<String> task = new WebAsyncTask<>(100L, () -> {
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    Work.await(operation);
                    throw e;
                }
                return "done";
            });
            task.onTimeout(() -> "try later");
            return task;
        }

        @PostMapping("/long")
        DeferredResult<String> untimed(@RequestParam String operation) {
            DeferredResult<String> result = new DeferredResult<>(60_000L);
            var unused = CompletableFuture.runAsync(() -> result.setResult(work(operation)));
            return result;
        }

        @PostMapping("/accepted")
        CompletableFuture<String> accepted(
                @RequestParam String operation, @RequestAttribute(HttpDedup.CONTEXT) DedupContext dedup) {
            return CompletableFuture.supplyAsync(() -> Work.accept(operation, dedup));
        }

        @PostMapping("/fallback")
        DeferredResult<ResponseEntity<String>> fallback(@RequestParam String operation) {
            DeferredResult<ResponseEntity<String>> result = new DeferredResult<>(100L);
            result.onTimeout(() -> result.setResult(ResponseEntity.status(504).body("not yet")));
            Work.run(operation);
            return result;
        }
    }

    @BeforeAll
    static void start() {
        SpringApplication app = new SpringApplication(App.class);
        app.setWebApplicationType(WebApplicationType.SERVLET);
        application = app.run(
                "--server.port=0",
                "--server.http2.enabled=true",
                "--spring.mvc.async.request-timeout=100ms",
                "--spring.kafka.listener.auto-startup=false",
                "--spring.datasource.generate-unique-name=true",
                "--dedup.http.defaults.consumer=late",
                "--dedup.http.defaults.scope-by=none",
                "--dedup.http.defaults.lease=" + LEASE.toMillis() + "ms",
                "--dedup.http.paths.[/api/**].max-processing-time=1m",
                "--dedup.http.paths.[/short/**].max-processing-time=1s",
                "--dedup.http.paths.[/stored/**].max-processing-time=1m",
                "--dedup.http.paths.[/stored/**].on-client-error=store");
        port = HttpContract.portOf(application);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + path + "?operation=" + operation))
                .header("Idempotency-Key", operation)
                .POST(BodyPublishers.ofString("10"))
                .build();
    }

    private HttpResponse<String> post(String path) {
        return client.sendAsync(request(path), BodyHandlers.ofString())
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
    }

    private void staysClaimed(String path) {
        await().during(LEASE.multipliedBy(3).dividedBy(2))
                .atMost(Duration.ofSeconds(10))
                .until(() -> post(path).statusCode() == 409);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/deferred",
                "/api/deferred-created",
                "/api/future",
                "/api/mono",
                "/api/callable",
                "/api/functional",
                "/stored/deferred-annotated",
            })
    @DisplayName("work that outlives its timeout and its lease runs once, and its late result is recorded")
    void late(String path) {
        Work.close(operation);
        assertThat(post(path).statusCode()).isEqualTo(503);
        staysClaimed(path);
        Work.open(operation);
        await().untilAsserted(
                        () -> assertThat(HttpContract.isReplay(post(path))).isTrue());
        HttpResponse<String> replay = post(path);
        int status = path.endsWith("created")
                ? 201
                : path.endsWith("functional") ? 202 : path.endsWith("annotated") ? 409 : 204;
        assertThat(replay.statusCode()).isEqualTo(status);
        assertThat(replay.headers().firstValue("Idempotency-Body-Omitted")).contains("true");
        assertThat(Work.runs(operation)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/deferred-failure", "/api/deferred-unavailable", "/api/callable-failure"})
    @DisplayName("work that fails after its timeout releases its key then, and not before")
    void lateFailure(String path) {
        Work.close(operation);
        assertThat(post(path).statusCode()).isEqualTo(503);
        staysClaimed(path);
        Work.open(operation);
        await().until(() -> post(path).statusCode() != 409);
        assertThat(Work.runs(operation)).isEqualTo(2);
    }

    @Test
    @DisplayName("a task that answers its own timeout isn't done by that: its late result is recorded")
    void callableFallback() {
        Work.close(operation);
        assertThat(post("/api/callable-fallback").body()).isEqualTo("try later");
        staysClaimed("/api/callable-fallback");
        Work.open(operation);
        await().untilAsserted(() -> assertThat(HttpContract.isReplay(post("/api/callable-fallback")))
                .isTrue());
        assertThat(post("/api/callable-fallback").statusCode()).isEqualTo(204);
        assertThat(Work.runs(operation)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/callable-queued", "/api/callable-interrupted"})
    @DisplayName("a task that answers its own timeout, but has never begun or was stopped by it, releases its key")
    void callableNeverDone(String path) {
        Work.close(operation);
        assertThat(post(path).body()).isEqualTo("try later");
        Work.open(operation);
        await().until(() -> post(path).statusCode() != 409);
        assertThat(Work.runs(operation)).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "a DeferredResult with an answer to its timeout reports no other: its key stays claimed for max-processing-time")
    void fallback() {
        assertThat(post("/api/fallback").statusCode()).isEqualTo(504);
        staysClaimed("/api/fallback");
        assertThat(Work.runs(operation)).isEqualTo(1);
    }

    @Test
    @DisplayName("work that never ends leaves its key claimed for max-processing-time, as a blocking handler does")
    void never() {
        Work.close(operation);
        assertThat(post("/short/deferred").statusCode()).isEqualTo(503);
        await().until(() -> post("/short/deferred").statusCode() != 409);
        assertThat(Work.runs(operation)).isEqualTo(2);
        Work.open(operation);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/deferred", "/api/callable"})
    @DisplayName(
            "work that has ended after its timeout, and waits for a thread that records it: no copy of its request runs")
    void recordedLate(String path) {
        FaultyStore store = application.getBean(FaultyStore.class);
        Work.close(operation);
        assertThat(post(path).statusCode()).isEqualTo(503);
        CountDownLatch busy = HttpContract.occupySettlements(application);
        store.inject(StoreFault.before(Operation.RENEW));
        try {
            Work.open(operation);
            await().during(LEASE.multipliedBy(3)).atMost(Duration.ofSeconds(20)).until(() -> {
                var copy = client.sendAsync(request(path), BodyHandlers.ofString());
                return copy.completeOnTimeout(null, 5, TimeUnit.SECONDS).join() != null && Work.runs(operation) == 1;
            });
        } finally {
            store.heal();
            busy.countDown();
        }
        await().until(() -> HttpContract.isReplay(post(path)));
        assertThat(Work.runs(operation)).isEqualTo(1);
    }

    @Test
    @DisplayName("work that ends after its timeout, although its step found the lease lost, isn't done")
    void lateAndStopped() {
        FaultyStore store = application.getBean(FaultyStore.class);
        store.inject(StoreFault.before(Operation.RENEW));
        try {
            assertThat(post("/api/accepted").statusCode()).isEqualTo(503);
            await().until(() -> Work.hasLeft(operation));
        } finally {
            store.heal();
        }
        assertThat(Work.runs(operation)).isZero();
        await().until(() -> {
            post("/api/accepted");
            return Work.runs(operation) > 0;
        });
        await().untilAsserted(() ->
                assertThat(HttpContract.isReplay(post("/api/accepted"))).isTrue());
        assertThat(Work.runs(operation)).isEqualTo(1);
    }

    @Test
    @DisplayName("a client that cancels its request doesn't stop the work, and its result is recorded")
    void cancelled() {
        HttpClient http2 = http2();
        Work.close(operation);
        String path = "/api/long";
        CompletableFuture<HttpResponse<String>> first = http2.sendAsync(request(path), BodyHandlers.ofString());
        await().until(() -> Work.runs(operation) == 1);
        first.cancel(true);
        staysClaimed(path);
        Work.open(operation);
        await().untilAsserted(
                        () -> assertThat(HttpContract.isReplay(post(path))).isTrue());
        assertThat(Work.runs(operation)).isEqualTo(1);
    }

    private static HttpClient http2() {
        HttpClient http2 =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build();
        assertThat(http2.sendAsync(
                                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/none"))
                                        .build(),
                                BodyHandlers.discarding())
                        .join()
                        .version())
                .isEqualTo(HttpClient.Version.HTTP_2);
        return http2;
    }

    @Test
    @DisplayName("work that ends while the server is about to report that its client has gone away is recorded")
    void endsWhileCancelled() {
        CompletableFuture<HttpResponse<String>> first =
                http2().sendAsync(request("/api/reset"), BodyHandlers.ofString());
        await().until(() -> Work.runs(operation) == 1);
        first.cancel(true);
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() ->
                        assertThat(HttpContract.isReplay(post("/api/reset"))).isTrue());
        assertThat(Work.runs(operation)).isEqualTo(1);
    }
}
