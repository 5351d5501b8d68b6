package io.dedup.spring.boot.internal.actuator;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupScope;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import io.dedup.duplicate.MessagePlace;
import io.dedup.policy.Window;
import io.dedup.report.Distances;
import io.dedup.report.WindowAdvice;
import io.dedup.spring.boot.DedupProperties;
import io.dedup.spring.boot.TestApp;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.deduplicator.InstanceName;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.step.KeptStep;
import io.dedup.step.StepLog;
import io.dedup.store.Claim;
import io.dedup.store.ClaimRequest;
import io.dedup.store.ClaimResult;
import io.dedup.store.DedupStore;
import io.dedup.store.Owner;
import io.dedup.store.ReleaseMode;
import io.dedup.store.ReleaseRequest;
import io.dedup.store.StoredRecord;
import io.dedup.store.StoredResult;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Over HTTP, as operators do. */
class EndpointTest {
    private final HttpClient client = HttpClient.newHttpClient();

    @Test
    void showsListenersAndCounts() throws Exception {
        TestApp.send("orders", null, "shown", "order-id", "e-0");
        await().untilAsserted(() -> assertThat(call("GET", "").body())
                .contains("\"listener\":\"orders\"")
                .contains("\"id\":\"header:order-id\"")
                .contains("\"mode\":\"tiered\"")
                .contains("\"window\":\"2h\"")
                .contains("\"policy\":\"mode tiered, window 2h, lease 30s, max-processing-time 5m,")
                .contains("on-missing-id fail")
                .contains("\"window\":\"30m\"")
                .contains("\"handled\":")
                .contains("\"completionsPending\":0"));
    }

    @Test
    void showsTheRunThatHasDoneAMessageApartFromItsResult() {
        assertThat(done(StoredResult.encode(null, "00-trace-span-01")).run()).isEqualTo("00-trace-span-01");
        assertThat(done(StoredResult.encode(null, "00-trace-span-01")).resultStored())
                .isFalse();
        assertThat(done(StoredResult.encode(new byte[1], "00-trace-span-01")).resultStored())
                .isTrue();
        assertThat(done(new byte[1]).run()).isNull();
        assertThat(done(new byte[1]).resultStored()).isTrue();
    }

    @Test
    void showsWhereAMessageWasHandledFirst() {
        byte[] stored = StoredResult.encode(null, null, new MessagePlace("broker\n/3", 36, 1, 30));
        assertThat(done(stored).place()).isEqualTo("broker\\u000a/3@36");
        assertThat(done(stored).resultStored()).isFalse();
        assertThat(done(null).place()).isNull();
    }

    @Test
    void reportsDuplicates() throws Exception {
        TestApp.send("orders", null, "first", "order-id", "copied");
        TestApp.send("orders", null, "second", "order-id", "copied", "host", "shop-7\n");
        await().untilAsserted(() -> assertThat(call("GET", "/report?hours=24").body())
                .contains("\"topic\":\"" + TestApp.topic("orders") + "\"")
                .contains("\"id\":\"\\\"copied\\\"\"")
                .contains("\"lastCause\":\"resent\""));
        assertThat(call("GET", "/report?hours=25").body()).contains("hours must be from 1 to 24, but is 25");
        assertThat(call("GET", "/report?hours=x").statusCode()).isEqualTo(400);
        assertThat(call("GET", "/" + consumer() + ":" + TestApp.topic("orders") + "/copied")
                        .body())
                .containsPattern("\"place\":\"[0-9]+@[0-9]+\"")
                .containsPattern(
                        "\"lastCopy\":\\{\"cause\":\"resent\",\"at\":\"20[^\"]+Z\",\"place\":\"[0-9]+@[0-9]+\","
                                + "\"sender\":\"\\\\\"shop-7\\\\\\\\u000a\\\\\"\",\"copies\":1}");
        String all = call("GET", "/report?hours=1&limit=2400").body();
        assertThat(all).contains("\"unlisted\":0", "\"windowLengths\":{", "\":\"PT2H\"");
        for (String wrong : List.of("0", "-1", "2401", "many")) {
            assertThat(message(call("GET", "/report?limit=" + wrong))).startsWith("limit must be ");
        }

        assertThat(send("DELETE", "/actuator/deduperasure/copied").statusCode()).isEqualTo(200);
        assertThat(call("GET", "/report?hours=24&limit=2400").body()).doesNotContain("copied\\\"");
    }

    @Test
    void advisesOnTheWindow() {
        Distances within3Hours = new Distances(Map.of(Duration.ofHours(3).toMillis(), 1_000L));
        assertThat(WindowAdvice.of(within3Hours, Duration.ofDays(7), 24))
                .startsWith(
                        "99.99 % of 1000 copies of the last 24 h came within 3h of the first message, all within 3h;"
                                + " the window is 7d. A window of 12h, four times the longest distance, would keep about 7 % of the"
                                + " records.");
        assertThat(WindowAdvice.of(within3Hours, Duration.ofHours(6), 24)).endsWith("It fits.");
        assertThat(WindowAdvice.of(within3Hours, Duration.ofMinutes(200), 24)).contains("Make it longer");
        assertThat(WindowAdvice.of(within3Hours, null, 24)).isNull();
        assertThat(WindowAdvice.of(new Distances(Map.of(1L, 999L)), Duration.ofDays(7), 24))
                .isNull();
    }

    @Test
    void showsTheStepsOfAMessageThatIsNotDone() {
        Instant keptAt = Instant.parse("2026-03-01T08:30:00Z");
        byte[] log = StepLog.entry(KeptStep.of("charge", keptAt, new byte[] {1}));

        assertThat(released(log).steps()).containsExactly(new RecordView.StepView("charge", keptAt));
        assertThat(released(new byte[] {99}).steps()).isEmpty();
        assertThat(done(null).steps()).isEmpty();
    }

    private static RecordView released(byte[] steps) {
        return RecordView.of(new StoredRecord(
                StoredRecord.State.RELEASED, 1, 0, 1, null, Duration.ZERO, null, null, null, null, steps));
    }

    private static RecordView done(byte[] stored) {
        return RecordView.of(new StoredRecord(
                StoredRecord.State.DONE, 1, 0, 0, null, Duration.ZERO, Instant.EPOCH, null, null, stored));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "e-1",
                "with space",
                "a/b/../c",
                "100%",
                "per%2Fcent",
                "new\nline\u0000",
                "ünï😀",
                "base64:x",
                ";v=1?q#f",
                "."
            })
    void findsAndForgetsWhateverTheId(String id) throws Exception {
        TestApp.send("orders", null, "first", "order-id", id);
        TestApp.send("orders", null, "duplicate", "order-id", id);
        // In the same partition: the duplicate isn't handled after the deletion.
        TestApp.send("orders", null, "behind " + id, "order-id", "behind " + id);
        await().until(() -> TestApp.handled("orders").contains("behind " + id));
        String path = "/" + scope("orders") + "/" + base64(id);
        await().untilAsserted(() -> assertThat(call("GET", path).body())
                .contains("\"redis\":{\"state\":\"DONE\"")
                .contains("\"jdbc\":{\"state\":\"DONE\""));

        assertThat(call("DELETE", path).body()).isEqualTo("{\"result\":\"APPLIED\"}");
        assertThat(call("GET", path).statusCode()).isEqualTo(404);
        assertThat(call("DELETE", path).body()).isEqualTo("{\"result\":\"ABSENT\"}");

        TestApp.send("orders", null, "again " + id, "order-id", id);
        await().until(() -> TestApp.handled("orders").contains("again " + id));
    }

    @Test
    void whatIsForcedDoneIsNotHandled() throws Exception {
        for (String topic : new String[] {"orders", "payments", "clicks"}) {
            String path = "/" + scope(topic) + "/" + encoded("never run");
            assertThat(call("GET", path).statusCode()).isEqualTo(404);
            assertThat(call("POST", path).body()).isEqualTo("{\"result\":\"APPLIED\"}");
            assertThat(call("GET", path).body()).contains("DONE");
        }
        TestApp.send("orders", null, "forced", "order-id", "never run");
        TestApp.send("orders", null, "behind forced", "order-id", "e-2");
        await().until(() -> TestApp.handled("orders").contains("behind forced"));
        assertThat(TestApp.handled("orders")).doesNotContain("forced");
    }

    /** A consumer in mode leased, while a mode changes, looks only there. */
    @Test
    void whatIsForcedDoneInATableIsDoneInFrontOfItForNoLonger() throws Exception {
        DedupStores stores = TestApp.shared().getBean(DedupStores.class);
        OperatorKeys keys = new OperatorKeys(TestApp.shared().getBean(DeduplicatorRegistry.class));
        DedupKey key =
                keys.find(consumer() + ":" + TestApp.topic("orders")).scope().key("forced in both");

        assertThat(call("POST", "/" + scope("orders") + "/" + encoded("forced in both"))
                        .body())
                .isEqualTo("{\"result\":\"APPLIED\"}");

        assertThat(window(requireNonNull(stores.tableOrNull()), key)).isEqualTo(Duration.ofHours(2));
        assertThat(window(stores.store(), key))
                .isBetween(Duration.ofMinutes(110), Duration.ofHours(2).minusMillis(1));
    }

    private static Duration window(DedupStore store, DedupKey key) {
        StoredRecord record = store.find(key).orElseThrow();
        return Duration.between(requireNonNull(record.completedAt()), requireNonNull(record.expiresAt()));
    }

    @Test
    void aLiveLeaseIsNotTakenAway() throws Exception {
        TestApp.send("stuck", "e-live", "wait for the operator");
        await().until(() -> TestApp.handled("stuck").contains("wait for the operator"));
        String path = "/" + scope("stuck") + "/e-live";
        assertThat(call("GET", path).body())
                .contains("\"state\":\"PROCESSING\"")
                .contains("\"attempt\":1")
                .contains("\"instance\":\"" + InstanceName.of(new DedupProperties()) + "\"")
                .containsPattern("\"claimedAt\":\"20\\d\\d-");
        assertThat(call("GET", "/" + scope("stuck") + "?olderThan=0s").body())
                .startsWith("{\"complete\":true,\"messages\":[{\"id\":\"e-live\",\"record\":{\"state\":\"PROCESSING\"");
        assertThat(call("GET", "/" + scope("stuck")).body()).isEqualTo("{\"complete\":true,\"messages\":[]}");
        assertThat(call("DELETE", path).body()).contains("LEASE_LIVE");
        assertThat(call("POST", path).body()).contains("LEASE_LIVE");
        TestApp.GATE.release();
        await().untilAsserted(() -> assertThat(call("GET", path).body()).contains("DONE"));
    }

    @Test
    void longIdsAreFoundByThemselvesAndAsStored() throws Exception {
        String id = "x".repeat(2_000);
        String path = "/" + scope("orders") + "/";
        assertThat(call("POST", path + id).body()).contains("APPLIED");
        String stored = DedupScope.of("c", "t").key(id).messageId();
        assertThat(stored).startsWith("sha256:");
        assertThat(call("GET", path + "stored:" + stored).body()).contains("DONE");
    }

    /** Each of them is then looked at, and forgotten, by what the list calls it. */
    @Test
    void whatTheTableKnowsIsNotStuckThoughRedisWasNotTold() throws Exception {
        DedupStores stores = TestApp.shared().getBean(DedupStores.class);
        OperatorKeys keys = new OperatorKeys(TestApp.shared().getBean(DeduplicatorRegistry.class));
        DedupKey key =
                keys.find(consumer() + ":" + TestApp.topic("orders")).scope().key("e-repaired");
        Owner owner = new Owner("pod-1~x.1");
        assertThat(stores.store()
                        .claim(List.of(new ClaimRequest(key, owner, Duration.ofMinutes(1))))
                        .get(0))
                .isInstanceOf(ClaimResult.Acquired.class);
        stores.store()
                .release(List.of(new ReleaseRequest(new Claim(key, owner, 1), ReleaseMode.STARTED)))
                .get(0);
        String list = "/" + scope("orders") + "?olderThan=0s";
        assertThat(call("GET", list).body()).contains("e-repaired");

        assertThat(requireNonNull(stores.tableOrNull())
                        .forceDone(key, Window.of(Duration.ofHours(1)), LiveLease.RESPECT))
                .isEqualTo(OperatorResult.APPLIED);

        assertThat(call("GET", list).body()).doesNotContain("e-repaired");
        assertThat(call("DELETE", "/" + scope("orders") + "/e-repaired").statusCode())
                .isEqualTo(200);
    }

    @Test
    void whatIsStuckIsListedByIdsThatTheOtherPathsTake() throws Exception {
        List<String> usable = List.of(
                "stuck-1",
                "a/b/../stuck",
                "..",
                "stored:stuck",
                "base64:stuck",
                "new\nline\u0000stuck",
                "ünï😀 stuck",
                "y".repeat(2_000),
                "sha256:stuck",
                "100%stuck",
                ";v=1?q#stuck");
        DedupStore store = TestApp.shared().getBean(DedupStores.class).store();
        DeduplicatorRegistry registry = TestApp.shared().getBean(DeduplicatorRegistry.class);
        OperatorKeys.FoundScope orders = new OperatorKeys(registry).find(consumer() + ":" + TestApp.topic("orders"));
        DedupScope scope = orders.scope();
        for (String id : usable) {
            Owner owner = new Owner("pod-1~x." + usable.indexOf(id));
            DedupKey key = scope.key(id);
            assertThat(store.claim(List.of(new ClaimRequest(key, owner, Duration.ofMinutes(1))))
                            .get(0))
                    .isInstanceOf(ClaimResult.Acquired.class);
            store.release(List.of(new ReleaseRequest(new Claim(key, owner, 1), ReleaseMode.STARTED)))
                    .get(0);
        }
        String list = "/" + scope("orders") + "?olderThan=0s&limit=";
        JsonNode answer =
                JsonMapper.shared().readTree(call("GET", list + usable.size()).body());
        assertThat(answer.get("complete").asBoolean()).isTrue();
        assertThat(answer.get("messages")).hasSize(usable.size());
        assertThat(answer.get("messages").get(0).get("id").asString()).isEqualTo("stuck-1");
        assertThat(answer.get("messages").findValuesAsString("claimedAt"))
                .extracting(Instant::parse) // a text without microseconds sorts behind one that has them
                .isSorted();
        assertThat(JsonMapper.shared()
                        .readTree(call("GET", list + (usable.size() - 1)).body())
                        .get("complete")
                        .asBoolean())
                .isFalse();
        for (String id : answer.get("messages").findValuesAsString("id")) {
            String path = "/" + scope("orders") + "/" + encoded(id);
            assertThat(call("GET", path).body()).as(id).contains("\"redis\":{\"state\":\"RELEASED\"");
            assertThat(call("DELETE", path).statusCode()).as(id).isEqualTo(200);
        }
        assertThat(call("GET", list + 1).body()).isEqualTo("{\"complete\":true,\"messages\":[]}");
    }

    /** An operator who gets no error believes that the command has worked. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE", "POST"})
    void anUnknownScopeIsAnErrorThatSaysSo(String method) throws Exception {
        String wrong = consumer() + ":" + TestApp.topic("order");
        HttpResponse<String> answer = call(method, "/" + encoded(wrong) + "/e-1");

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(message(answer))
                .isEqualTo("There is no scope \"" + wrong + "\". A scope is written <consumer>:<topic>; GET"
                        + " /actuator/dedup lists the scopes of this application.");
        assertThat(message(call("GET", "/" + encoded(wrong)))).startsWith("There is no scope");
    }

    @Test
    void anIdWithoutARecordIsNotFoundInASentence() throws Exception {
        HttpResponse<String> answer = call("GET", "/" + scope("orders") + "/nobody-sent-this");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(message(answer))
                .startsWith("No store has a record of message ID \"nobody-sent-this\" in scope \"" + consumer());
    }

    @Test
    void forcingNeedsNoBody() throws Exception {
        String path = "/actuator/dedup/" + scope("clicks") + "/" + encoded("without a body");
        HttpResponse<String> answer = client.send(
                HttpRequest.newBuilder(uri(path)).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
        assertThat(answer.body()).isEqualTo("{\"result\":\"APPLIED\"}");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(send("GET", path).body()).contains("DONE").contains("\"resultStored\":false");
    }

    @Test
    void wrongParametersAreNamed() throws Exception {
        String orders = "/" + scope("orders");
        assertThat(message(call("GET", orders + "?olderThan=soon")))
                .isEqualTo("olderThan must be a duration such as 30s, 5m or 2h, but is \"soon\".");
        assertThat(message(call("GET", orders + "?limit=many")))
                .isEqualTo("limit must be a whole number from 1 to 1000, but is \"many\".");
        assertThat(message(call("GET", orders + "?limit=1001")))
                .isEqualTo("limit must be from 1 to 1000, but is 1001.");
        assertThat(message(call("GET", orders + "/base64:***")))
                .isEqualTo("The text after base64: isn't UTF-8 in URL-safe Base64.");
        HttpResponse<String> delete = call("DELETE", orders + "/x?evenIfLeaseLive=perhaps");
        assertThat(delete.statusCode()).isEqualTo(400);
        assertThat(message(delete)).isEqualTo("evenIfLeaseLive must be true or false, but is \"perhaps\".");
        HttpResponse<String> post = post(orders + "/x", "{\"evenIfLeaseLive\":\"perhaps\"}");
        assertThat(post.statusCode()).isEqualTo(400);
        assertThat(message(post)).isEqualTo("evenIfLeaseLive must be true or false, but is \"perhaps\".");
        assertThat(post(orders + "/forced-by-a-boolean", "{\"evenIfLeaseLive\":true}")
                        .body())
                .isEqualTo("{\"result\":\"APPLIED\"}");
    }

    private HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(uri("/actuator/dedup" + path))
                        .POST(BodyPublishers.ofString(json))
                        .header("Content-Type", "application/json")
                        .build(),
                BodyHandlers.ofString());
    }

    private static String message(HttpResponse<String> answer) {
        return JsonMapper.shared().readTree(answer.body()).get("message").asString();
    }

    @Test
    void badRequestsForTheList() throws Exception {
        String orders = "/" + scope("orders");
        assertThat(call("GET", "/nobody:nothing").statusCode()).isEqualTo(404);
        assertThat(call("GET", "/base64:***").statusCode()).isEqualTo(400);
        for (String wrong : new String[] {
            "olderThan=soon", "olderThan=-1s", "olderThan=40000d", "limit=0", "limit=-1", "limit=1001", "limit=many"
        }) {
            assertThat(call("GET", orders + "?" + wrong).statusCode()).as(wrong).isEqualTo(400);
        }
        DedupEndpoint endpoint = TestApp.shared().getBean(DedupEndpoint.class);
        assertThatThrownBy(() -> endpoint.stuck(consumer() + ":" + TestApp.topic("orders"), null, 1_001))
                .isInstanceOfSatisfying(
                        InvalidEndpointRequestException.class,
                        e -> assertThat(e.getReason()).isEqualTo("limit must be from 1 to 1000, but is 1001"));
        assertThat(call("GET", "/" + scope("payments")).body()).isEqualTo("{\"complete\":true,\"messages\":[]}");
    }

    @Test
    void erasesAnIdInAllScopes() throws Exception {
        String id = "erase/d@example.org";
        TestApp.send("orders", null, "erased", "order-id", id);
        String path = "/" + scope("orders") + "/" + base64(id);
        String live = "/" + scope("clicks") + "/" + base64(id);
        await().untilAsserted(() -> assertThat(call("GET", path).body())
                .contains("\"redis\":{\"state\":\"DONE\"")
                .contains("\"jdbc\":{\"state\":\"DONE\""));
        assertThat(call("POST", live).body()).contains("APPLIED");
        DedupStore store = TestApp.shared().getBean(DedupStores.class).store();
        DedupKey elsewhere = DedupScope.of("another application", "topic").key(id);
        store.claim(List.of(new ClaimRequest(elsewhere, new Owner("elsewhere"), Duration.ofMinutes(5))))
                .get(0);

        JsonNode answer = JsonMapper.shared()
                .readTree(send("DELETE", "/actuator/deduperasure/" + base64(id)).body());

        assertThat(answer.path("erased").asInt()).isEqualTo(3);
        assertThat(answer.path("complete").asBoolean()).isFalse();
        assertThat(answer.path("liveScopes"))
                .hasToString("[\"" + elsewhere.scope().text() + "\"]");
        assertThat(call("GET", path).statusCode()).isEqualTo(404);
        assertThat(call("GET", live).statusCode()).isEqualTo(404);
        assertThat(store.forget(elsewhere, LiveLease.OVERRIDE)).isEqualTo(OperatorResult.APPLIED);
        assertThat(send("DELETE", "/actuator/deduperasure/" + base64(id)).body())
                .isEqualTo("{\"erased\":0,\"complete\":true,\"liveScopes\":[]}");
        for (String wrong : List.of("base64:***", "%20", "stored:x")) {
            assertThat(send("DELETE", "/actuator/deduperasure/" + wrong).statusCode())
                    .as(wrong)
                    .isEqualTo(400);
        }
    }

    @Test
    void badRequests() throws Exception {
        assertThat(call("GET", "/nobody:nothing/x").statusCode()).isEqualTo(404);
        assertThat(call("GET", "/" + scope("plain") + "/x").statusCode()).isEqualTo(404);
        assertThat(call("GET", "/" + scope("orders") + "/base64:***").statusCode())
                .isEqualTo(400);
        assertThat(call("GET", "/" + scope("orders") + "/base64:").statusCode()).isEqualTo(400);
        assertThat(call("GET", "/" + scope("orders") + "/stored:sha256" + "y".repeat(300))
                        .statusCode())
                .isEqualTo(400);
    }

    @Test
    void healthSaysThatTheStoresAnswer() throws Exception {
        HttpResponse<String> health = send("GET", "/actuator/health");
        JsonNode dedup = JsonMapper.shared().readTree(health.body()).at("/components/dedup");
        assertThat(dedup.path("status").asString()).isEqualTo("UP");
        assertThat(dedup.path("details")).hasToString("{\"redis\":\"answers\",\"jdbc\":\"answers\"}");
        assertThat(send("GET", "/actuator/health/readiness").body()).contains("dedup");
        assertThat(send("GET", "/actuator/health/liveness").body()).doesNotContain("dedup");
    }

    private static String scope(String topic) {
        return encoded(consumer() + ":" + TestApp.topic(topic));
    }

    private static String consumer() {
        return TestApp.shared().getEnvironment().getProperty("spring.kafka.consumer.group-id");
    }

    private static String base64(String id) {
        return "base64:" + Base64.getUrlEncoder().encodeToString(id.getBytes(StandardCharsets.UTF_8));
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private HttpResponse<String> call(String method, String path) throws IOException, InterruptedException {
        return send(method, "/actuator/dedup" + path);
    }

    private HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return client.send(
                HttpRequest.newBuilder(uri(path))
                        .method(method, method.equals("POST") ? BodyPublishers.ofString("{}") : BodyPublishers.noBody())
                        .header("Content-Type", "application/json")
                        .build(),
                BodyHandlers.ofString());
    }

    private static URI uri(String path) {
        String port = TestApp.shared().getEnvironment().getProperty("local.server.port");
        return URI.create("http://localhost:" + port + path);
    }
}
