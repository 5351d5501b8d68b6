package io.dedup.spring.boot.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.adapter.DedupAdapter;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.store.DedupStores;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.ResponseStatus;

/** What requests with an Idempotency-Key get, whatever the server is. Each test is an operation of its own. */
abstract class HttpContract {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    static final String REPLAYED = "Idempotency-Replayed";

    static final List<String> PROPERTIES = List.of(
            "--server.port=0",
            "--spring.kafka.listener.auto-startup=false",
            "--dedup.http.defaults.consumer=api",
            "--dedup.http.defaults.scope-by=none",
            "--dedup.http.headers-not-replayed=X-Request-Number",
            "--dedup.http.paths.api.path=/api/**",
            "--dedup.http.paths.stored.path=/stored/**",
            "--dedup.http.paths.stored.on-client-error=store",
            "--dedup.http.paths.optional.path=/optional/**",
            "--dedup.http.paths.optional.required=false",
            "--dedup.http.paths.small.path=/small/**",
            "--dedup.http.paths.small.max-request-size=100B",
            "--dedup.http.paths.small.max-response-size=50B",
            "--dedup.http.paths.tenant.path=/tenant/**",
            "--dedup.http.paths.tenant.scope-by=principal + header:X-Tenant",
            "--dedup.http.paths.waiting.path=/waiting/**",
            "--dedup.http.paths.waiting.in-flight-wait=20s",
            "--dedup.http.paths.brief.path=/brief/**",
            "--dedup.http.paths.brief.lease=1s",
            "--dedup.http.paths.brief.max-processing-time=1s",
            "--server.compression.enabled=true",
            "--server.compression.mime-types=text/event-stream");

    /** Its status is that of its annotation, unless the application handles it. */
    @ResponseStatus(HttpStatus.CONFLICT)
    static final class ConflictException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    final String operation = UUID.randomUUID().toString();
    private final String key = "key-" + operation;

    int port() {
        return portOf(application());
    }

    static int portOf(ConfigurableApplicationContext context) {
        return Integer.parseInt(context.getEnvironment().getProperty("local.server.port", ""));
    }

    /** A request, whose path names the operation. */
    HttpRequest.Builder request(String path) {
        String separator = path.contains("?") ? "&" : "?";
        return HttpRequest.newBuilder(
                        URI.create("http://localhost:" + port() + path + separator + "operation=" + operation))
                .header("Idempotency-Key", '"' + key + '"');
    }

    static HttpResponse<String> send(HttpRequest.Builder request) {
        return sending(request).join();
    }

    /** Joining a future cannot be interrupted: without a limit, a request that gets no answer would hang the build. */
    static CompletableFuture<HttpResponse<String>> sending(HttpRequest.Builder request) {
        return CLIENT.sendAsync(request.build(), BodyHandlers.ofString()).orTimeout(60, TimeUnit.SECONDS);
    }

    HttpResponse<String> post(String path, String body) {
        return send(request(path).header("Content-Type", "text/plain").POST(BodyPublishers.ofString(body)));
    }

    static boolean isReplay(HttpResponse<?> response) {
        return response.headers().firstValue(REPLAYED).isPresent();
    }

    int runs() {
        return Work.runs(operation);
    }

    @Test
    @DisplayName("a duplicate gets status, headers and body of the first response, and isn't handled")
    void replay() {
        HttpResponse<String> first = post("/api/payments", "10 €");
        HttpResponse<String> second = post("/api/payments", "10 €");

        assertThat(first.statusCode()).isEqualTo(201);
        assertThat(first.body()).isEqualTo("run 1 of 10 €");
        assertThat(isReplay(first)).isFalse();
        assertThat(second.statusCode()).isEqualTo(201);
        assertThat(second.body()).isEqualTo(first.body());
        assertThat(isReplay(second)).isTrue();
        for (String header : List.of("Content-Type", "Location", "ETag", "Content-Length")) {
            assertThat(second.headers().allValues(header))
                    .as(header)
                    .isNotEmpty()
                    .isEqualTo(first.headers().allValues(header));
        }
        assertThat(first.headers().map()).containsKeys("set-cookie", "x-request-number");
        assertThat(second.headers().map()).doesNotContainKeys("set-cookie", "x-request-number");
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a key with and one without quotes are the same key")
    void bareKey() {
        post("/api/payments", "10");
        HttpResponse<String> second =
                send(request("/api/payments").setHeader("Idempotency-Key", key).POST(BodyPublishers.ofString("10")));
        assertThat(isReplay(second)).isTrue();
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("the same key for another payload, query or path is 422")
    void conflict() {
        post("/api/payments", "10");
        for (HttpResponse<String> other :
                List.of(post("/api/payments", "11"), post("/api/payments?x=1", "10"), post("/api/echo", "10"))) {
            assertThat(other.statusCode()).isEqualTo(422);
            assertThat(other.headers().firstValue("Content-Type")).contains("application/problem+json");
            assertThat(other.body()).contains("\"status\":422", "Idempotency-Key is already used");
        }
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a missing or malformed key is 400, unless the path doesn't need one")
    void badKey() {
        HttpResponse<String> missing = send(without("/api/payments").POST(BodyPublishers.ofString("10")));
        assertThat(missing.statusCode()).isEqualTo(400);
        assertThat(missing.body()).contains("Idempotency-Key is missing");
        for (String bad : List.of("\"abc", "\"a\"b", "a,b", "k".repeat(256))) {
            HttpResponse<String> malformed =
                    send(without("/api/payments").header("Idempotency-Key", bad).POST(BodyPublishers.ofString("10")));
            assertThat(malformed.statusCode()).as(bad).isEqualTo(400);
            assertThat(malformed.body()).contains("malformed").doesNotContain(bad);
        }
        HttpResponse<String> two = send(without("/api/payments")
                .header("Idempotency-Key", "a")
                .header("Idempotency-Key", "b")
                .POST(BodyPublishers.ofString("10")));
        assertThat(two.statusCode()).isEqualTo(400);
        assertThat(runs()).isZero();
        HttpResponse<String> optional = send(without("/optional/payments").POST(BodyPublishers.ofString("10")));
        assertThat(optional.statusCode()).isEqualTo(201);
        assertThat(runs()).isEqualTo(1);
    }

    private HttpRequest.Builder without(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port() + path + "?operation=" + operation));
    }

    @Test
    @DisplayName("other methods and other paths aren't deduplicated")
    void others() {
        send(request("/api/payments").GET());
        send(request("/api/payments").GET());
        post("/other/payments", "10");
        post("/other/payments", "10");
        assertThat(runs()).isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/gated", "/api/deferred"})
    @DisplayName("a copy of a request in flight is 409, whether its handler blocks or not")
    void inFlight(String path) {
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first = sending(request(path).POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        HttpResponse<String> second = send(request(path).POST(BodyPublishers.ofString("10")));
        assertThat(second.statusCode()).isEqualTo(409);
        assertThat(second.headers().firstValue("Retry-After")).contains("1");
        assertThat(second.body()).contains("A request is outstanding");
        assertThat(isReplay(second)).isFalse();

        Work.open(operation);
        assertThat(first.join().body()).isEqualTo("done 1");
        HttpResponse<String> third = send(request(path).POST(BodyPublishers.ofString("10")));
        assertThat(third.body()).isEqualTo("done 1");
        assertThat(isReplay(third)).isTrue();
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a copy that may wait gets the response of the first")
    void waits() {
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first =
                sending(request("/waiting/gated").POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        CompletableFuture<HttpResponse<String>> second =
                sending(request("/waiting/gated").POST(BodyPublishers.ofString("10")));
        Work.open(operation);
        assertThat(first.join().body()).isEqualTo("done 1");
        assertThat(second.join().body()).isEqualTo("done 1");
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("many copies at once run once")
    void manyAtOnce() {
        List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            all.add(sending(request("/api/payments")
                    .header("Content-Type", "text/plain")
                    .POST(BodyPublishers.ofString("10"))));
        }
        List<HttpResponse<String>> responses =
                all.stream().map(CompletableFuture::join).toList();
        assertThat(responses).allSatisfy(each -> assertThat(each.statusCode()).isIn(201, 409));
        assertThat(responses.stream().filter(each -> each.statusCode() == 201 && !isReplay(each)))
                .hasSize(1);
        assertThat(runs()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/throws",
                "/api/status/503",
                "/api/status/404",
                "/api/thrown/409",
                "/api/annotated",
                "/stored/status/429"
            })
    @DisplayName("a failure releases the key: the same request runs again")
    void released(String path) {
        HttpResponse<String> first = post(path, "10");
        HttpResponse<String> second = post(path, "10");
        assertThat(first.statusCode()).isGreaterThanOrEqualTo(400).isNotIn(422);
        assertThat(second.statusCode()).isEqualTo(first.statusCode());
        assertThat(isReplay(second)).isFalse();
        assertThat(runs()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/stored/status/404", "/stored/thrown/409", "/stored/annotated"})
    @DisplayName("with on-client-error: store, a duplicate gets the 4xx of the first")
    void storedClientErrors(String path) {
        HttpResponse<String> first = post(path, "10");
        HttpResponse<String> second = post(path, "10");
        assertThat(second.statusCode()).isEqualTo(first.statusCode());
        assertThat(isReplay(second)).isTrue();
        assertThat(second.headers().firstValue("Content-Type"))
                .isEqualTo(first.headers().firstValue("Content-Type"));
        assertThat(second.body().replaceAll("\"(timestamp|requestId)\":\"[^\"]*\"", ""))
                .isEqualTo(first.body().replaceAll("\"(timestamp|requestId)\":\"[^\"]*\"", ""));
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("work whose future has timed out may go on: its key stays claimed")
    void futureTimesOut() {
        Work.close(operation);
        assertThat(post("/api/impatient", "10").statusCode()).isEqualTo(500);
        await().during(Duration.ofMillis(200))
                .atMost(Duration.ofSeconds(5))
                .until(() -> post("/api/impatient", "10").statusCode() == 409);
        Work.open(operation);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a page of another origin may read every answer, and one of a foreign origin none")
    void crossOrigin() {
        HttpResponse<String> first = crossOrigin("https://shop.example", "10");
        assertThat(first.body()).isEqualTo("run 1");
        HttpResponse<String> replay = crossOrigin("https://shop.example", "10");
        assertThat(isReplay(replay)).isTrue();
        HttpResponse<String> conflict = crossOrigin("https://shop.example", "11");
        assertThat(conflict.statusCode()).isEqualTo(422);
        for (HttpResponse<String> each : List.of(first, replay, conflict)) {
            assertThat(each.headers().allValues("Access-Control-Allow-Origin")).containsExactly("https://shop.example");
            assertThat(each.headers().allValues("Access-Control-Expose-Headers"))
                    .containsExactly(REPLAYED);
        }
        HttpResponse<String> foreign = crossOrigin("https://other.example", "10");
        assertThat(foreign.statusCode()).isEqualTo(403);
        assertThat(foreign.body()).doesNotContain("run 1");
        HttpResponse<String> preFlight = send(request("/api/cross-origin")
                .header("Origin", "https://shop.example")
                .header("Access-Control-Request-Method", "POST")
                .method("OPTIONS", BodyPublishers.noBody()));
        assertThat(preFlight.statusCode()).isEqualTo(200);
        assertThat(runs()).isEqualTo(1);
    }

    private HttpResponse<String> crossOrigin(String origin, String body) {
        return send(request("/api/cross-origin").header("Origin", origin).POST(BodyPublishers.ofString(body)));
    }

    @Test
    @DisplayName("a key of a failed request may be used for a corrected one")
    void corrected() {
        assertThat(post("/api/status/400", "10").statusCode()).isEqualTo(400);
        assertThat(post("/api/payments", "11").statusCode()).isEqualTo(201);
        assertThat(runs()).isEqualTo(2);
    }

    @Test
    @DisplayName("a response that is too large goes to the client, and its duplicate gets no body")
    void largeResponse() {
        HttpResponse<String> first = post("/small/large?size=100000", "10");
        HttpResponse<String> second = post("/small/large?size=100000", "10");
        assertThat(first.body()).hasSize(100000);
        assertThat(second.statusCode()).isEqualTo(200);
        assertThat(second.body()).isEmpty();
        assertThat(second.headers().firstValue("Idempotency-Body-Omitted")).contains("true");
        assertThat(second.headers().firstValue("Content-Type")).isEmpty();
        assertThat(second.headers().firstValue("ETag")).contains("\"7\"");
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a request that is too large is 413, with and without a length")
    void largeRequest() {
        HttpResponse<String> known = post("/small/payments", "x".repeat(101));
        byte[] large = "x".repeat(101).getBytes(StandardCharsets.UTF_8);
        HttpResponse<String> chunked = send(
                request("/small/payments").POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large))));
        assertThat(known.statusCode()).isEqualTo(413);
        assertThat(chunked.statusCode()).isEqualTo(413);
        assertThat(runs()).isZero();
        assertThat(post("/small/payments", "x".repeat(30)).statusCode()).isEqualTo(201);
    }

    @Test
    @DisplayName("a form reaches the handler, and is compared")
    void form() {
        assertThat(form("amount=10&to=bob").body()).isEqualTo("run 1: 10 to bob");
        assertThat(form("amount=10&to=bob").body()).isEqualTo("run 1: 10 to bob");
        HttpResponse<String> reordered = form("to=b%6Fb&amount=10");
        assertThat(reordered.body()).as("the same parameters").isEqualTo("run 1: 10 to bob");
        assertThat(isReplay(reordered)).isTrue();
        assertThat(form("amount=11&to=bob").statusCode()).isEqualTo(422);
        assertThat(runs()).isEqualTo(1);
    }

    private HttpResponse<String> form(String body) {
        return send(request("/api/form")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(body)));
    }

    @Test
    @DisplayName("an upload reaches the handler, and is the same with another boundary")
    void upload() {
        assertThat(upload("aaaa", "scan").body()).isEqualTo("run 1: scan");
        assertThat(upload("bbbb", "scan").body()).isEqualTo("run 1: scan");
        assertThat(upload("aaaa", "other").statusCode()).isEqualTo(422);
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("the text of a boundary is compared where it isn't the boundary")
    void boundaryInContent() {
        assertThat(upload("7", "pay 17 EUR").body()).isEqualTo("run 1: pay 17 EUR");
        assertThat(upload("7", "pay 1777 EUR").statusCode()).isEqualTo(422);
        assertThat(upload("8", "pay 17 EUR").body()).isEqualTo("run 1: pay 17 EUR");
        assertThat(runs()).isEqualTo(1);
    }

    private HttpResponse<String> upload(String boundary, String content) {
        String body = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n"
                + "Content-Type: text/plain\r\n\r\n" + content + "\r\n--" + boundary + "--\r\n";
        return send(request("/api/upload")
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .POST(BodyPublishers.ofString(body)));
    }

    @Test
    @DisplayName("keys of different clients are different keys, and nobody gets another one's response")
    void clients() {
        HttpResponse<String> alice = tenant("alice", "a");
        assertThat(alice.body()).isEqualTo("run 1 of 10");
        assertThat(tenant("bob", "a").body()).isEqualTo("run 2 of 10");
        assertThat(tenant("alice", "b").body()).isEqualTo("run 3 of 10");
        assertThat(tenant("alice", "a").body()).isEqualTo("run 1 of 10");
        HttpResponse<String> nobody =
                send(request("/tenant/payments").header("X-Tenant", "a").POST(BodyPublishers.ofString("10")));
        HttpResponse<String> homeless =
                send(request("/tenant/payments").header("X-User", "alice").POST(BodyPublishers.ofString("10")));
        assertThat(nobody.statusCode()).isEqualTo(403);
        assertThat(homeless.statusCode()).isEqualTo(400);
        assertThat(runs()).isEqualTo(3);
    }

    private HttpResponse<String> tenant(String user, String tenant) {
        return send(request("/tenant/payments")
                .header("X-User", user)
                .header("X-Tenant", tenant)
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("10")));
    }

    @Test
    @DisplayName("a stream reaches its client while it is made, and a duplicate gets all of it")
    void stream() throws IOException {
        Work.close(operation);
        HttpResponse<InputStream> first = CLIENT.sendAsync(
                        request("/api/stream")
                                .POST(BodyPublishers.ofString("10"))
                                .build(),
                        BodyHandlers.ofInputStream())
                .orTimeout(60, TimeUnit.SECONDS)
                .join();
        byte[] begin = first.body().readNBytes("data:one".length()); // the handler hasn't ended
        assertThat(new String(begin, StandardCharsets.UTF_8)).isEqualTo("data:one");
        assertThat(post("/api/stream", "10").statusCode()).isEqualTo(409);
        Work.open(operation);
        String rest = new String(first.body().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(rest).contains("data:two");

        await().untilAsserted(() -> {
            HttpResponse<String> second = post("/api/stream", "10");
            assertThat(isReplay(second)).isTrue();
            assertThat(second.body()).isEqualTo("data:one" + rest);
            assertThat(second.headers().firstValue("Content-Type").orElse("")).startsWith("text/event-stream");
        });
        assertThat(runs()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/gated", "/api/deferred"})
    @DisplayName("a client that goes away doesn't stop its request, whose response is stored")
    void clientGoesAway(String path) throws IOException {
        Work.close(operation);
        try (Socket socket = new Socket("localhost", port())) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST " + path + "?operation=" + operation + " HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: "
                            + key + "\r\nContent-Length: 2\r\n\r\n10")
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
            await().until(() -> runs() == 1);
        }
        Work.open(operation);
        await().untilAsserted(() -> {
            HttpResponse<String> second = send(request(path).POST(BodyPublishers.ofString("10")));
            assertThat(isReplay(second)).isTrue();
            assertThat(second.body()).isEqualTo("done 1");
        });
        assertThat(runs()).isEqualTo(1);
    }

    /** Sends a request, reads a part of the response, and hangs up. */
    void hangUp(String path, int bytes) throws IOException {
        try (Socket socket = new Socket("localhost", port())) {
            socket.setSoLinger(true, 0);
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            out.write(("POST " + path + "?operation=" + operation + " HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: "
                            + key + "\r\nContent-Length: 2\r\n\r\n10")
                    .getBytes(StandardCharsets.UTF_8));
            out.flush();
            await().until(() -> runs() == 1);
            assertThat(socket.getInputStream().readNBytes(bytes)).hasSize(bytes);
        }
    }

    /** Whether the server notices without a write that a client has gone away. */
    boolean noticesAtOnce() {
        return false;
    }

    @ParameterizedTest
    @ValueSource(strings = {"/small/gated-large", "/small/pieces"})
    @DisplayName("a client that goes away doesn't stop a response that is too large to be held back")
    void clientLeavesLargeResponse(String path) throws IOException {
        Work.close(operation);
        hangUp(path, path.endsWith("pieces") ? 500 : 0);
        await().until(() -> !noticesAtOnce() || Work.hasLeft(operation));
        Work.open(operation);
        await().untilAsserted(() -> {
            HttpResponse<String> second = send(request(path).POST(BodyPublishers.ofString("10")));
            assertThat(isReplay(second)).isTrue();
            assertThat(second.headers().firstValue("Idempotency-Body-Omitted")).contains("true");
        });
        assertThat(runs()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/endless-events", "/api/endless-download"})
    @DisplayName("a stream that is cut off by its client leaves its key claimed")
    void cutOff(String path) throws IOException {
        hangUp(path, 500);
        await().until(() -> Work.hasLeft(operation));
        await().during(Duration.ofMillis(300))
                .atMost(Duration.ofSeconds(5))
                .until(() ->
                        send(request(path).POST(BodyPublishers.ofString("10"))).statusCode() == 409);
        assertThat(runs()).isEqualTo(1);
    }

    final void assertFailsTooLateForItsStatus(String path) {
        // A part of the response has been sent, so that the server may cut off the rest.
        var unused = sending(request(path).POST(BodyPublishers.ofString("10")))
                .handle((response, cutOff) -> true)
                .join();
        await().until(() -> sending(request(path).POST(BodyPublishers.ofString("10")))
                .handle((response, cutOff) -> cutOff != null || response.statusCode() != 409)
                .join());
        assertThat(runs()).isEqualTo(2);
    }

    @Test
    @DisplayName("what has exactly the largest size is compared, and stored")
    void limits() {
        assertThat(post("/small/payments", "x".repeat(100)).statusCode()).isEqualTo(201);
        HttpResponse<String> first = send(request("/small/large?size=50")
                .setHeader("Idempotency-Key", "other-" + operation)
                .POST(BodyPublishers.ofString("10")));
        HttpResponse<String> second = send(request("/small/large?size=50")
                .setHeader("Idempotency-Key", "other-" + operation)
                .POST(BodyPublishers.ofString("10")));
        assertThat(isReplay(second)).isTrue();
        assertThat(second.body()).isEqualTo(first.body()).hasSize(50);
        assertThat(runs()).isEqualTo(2);
    }

    @Test
    @DisplayName("the handler gets the message ID of its record")
    void context() {
        assertThat(post("/api/context", "10").body()).isEqualTo("key-" + operation + ", attempt 1");
    }

    @Test
    @DisplayName("a response without a body is replayed, too")
    void noContent() {
        assertThat(post("/api/nothing", "10").statusCode()).isEqualTo(204);
        HttpResponse<String> second = post("/api/nothing", "10");
        assertThat(second.statusCode()).isEqualTo(204);
        assertThat(isReplay(second)).isTrue();
        assertThat(second.headers().map()).doesNotContainKey("idempotency-body-omitted");
        assertThat(runs()).isEqualTo(1);
    }

    /** Where the application under test keeps its records. */
    abstract ConfigurableApplicationContext application();

    private void forget() {
        DedupKey record = DedupScope.of("api", "/api/**").key(key);
        application().getBean(DedupStores.class).store().forget(record, LiveLease.OVERRIDE);
    }

    @Test
    @DisplayName("after a lost lease, a failure is 503: another request may be running")
    void leaseLost() {
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first =
                sending(request("/api/gated-failure").POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        forget();
        Work.open(operation);
        assertThat(first.join().statusCode()).isEqualTo(503);
        assertThat(first.join().headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    @DisplayName("after a lost lease, a success is still the client's answer")
    void successAfterLostLease() {
        Work.close(operation);
        CompletableFuture<HttpResponse<String>> first =
                sending(request("/api/gated").POST(BodyPublishers.ofString("10")));
        await().until(() -> runs() == 1);
        forget();
        Work.open(operation);
        assertThat(first.join().body()).isEqualTo("done 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/brief/accepted", "/brief/accepted-silently"})
    @DisplayName("work that answers although its step found the lease lost isn't done: 503, and the next request runs")
    void stoppedAtStep(String path) {
        HttpResponse<String> first = post(path, "10");
        assertThat(first.statusCode()).isEqualTo(503);
        assertThat(first.headers().firstValue("Retry-After")).isPresent();
        assertThat(first.headers().firstValue("Location")).isEmpty();
        assertThat(first.body()).contains("\"status\":503");
        assertThat(runs()).isZero();

        assertThat(post(path, "10").statusCode()).isEqualTo(201);
        assertThat(runs()).isEqualTo(1);
        assertThat(isReplay(post(path, "10"))).isTrue();
    }

    @Test
    @DisplayName("a stream that goes on although its step found the lease lost isn't done: the next request runs")
    void streamStoppedAtStep() {
        // A part of the response has been sent, so that the server may cut off the rest.
        var unused = sending(request("/brief/accepted-stream").POST(BodyPublishers.ofString("10")))
                .handle((response, cutOff) -> true)
                .join();
        assertThat(runs()).isZero();
        await().until(() -> post("/brief/accepted-stream", "10").body().contains("charged"));
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName("a stream that the server compresses is stored as it was made, without the server's headers")
    void compressed() {
        Work.close(operation);
        Work.open(operation);
        HttpResponse<String> first =
                send(request("/api/stream").header("Accept-Encoding", "gzip").POST(BodyPublishers.ofString("10")));
        assertThat(first.headers().firstValue("Content-Encoding")).contains("gzip");

        await().untilAsserted(() -> {
            HttpResponse<String> second = send(request("/api/stream").POST(BodyPublishers.ofString("10")));
            assertThat(isReplay(second)).isTrue();
            assertThat(second.headers().firstValue("Content-Encoding")).isEmpty();
            assertThat(second.body()).contains("data:one", "data:two");
        });
        assertThat(runs()).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "a request within an open transaction is refused and doesn't run: its effect might be rolled back later")
    void openTransaction() {
        HttpResponse<String> refused = send(request("/api/payments")
                .header("X-Transaction", "open")
                .header("Content-Type", "text/plain")
                .POST(BodyPublishers.ofString("10")));
        assertThat(refused.statusCode()).isEqualTo(500);
        assertThat(runs()).isZero();
        assertThat(post("/api/payments", "10").statusCode()).isEqualTo(201);
        assertThat(runs()).isEqualTo(1);
    }

    /** Keeps all threads busy that settle runs, until it is counted down. */
    static CountDownLatch occupySettlements(ConfigurableApplicationContext context) {
        CountDownLatch end = new CountDownLatch(1);
        context.getBean(DeduplicatorRegistry.class).deduplicators().forEach(each -> {
            for (int i = 0; i < 20; i++) { // more than there are
                DedupAdapter.of(each.deduplicator()).settlements().execute(() -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
        });
        return end;
    }

    static Map<String, String> headers(HttpResponse<?> response) {
        Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        response.headers().map().forEach((name, values) -> all.put(name, String.join(",", values)));
        return all;
    }
}
