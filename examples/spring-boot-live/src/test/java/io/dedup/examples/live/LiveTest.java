package io.dedup.examples.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Over HTTP, with the consumer in a JVM of its own. */
class LiveTest {
    private final Client client = new Client();

    LiveTest() throws IOException, InterruptedException {}

    @BeforeEach
    void consumerIsThere() {
        soon(() -> assertThat(client.consumer()).isEqualTo("running"));
    }

    @AfterEach
    void close() {
        client.close();
    }

    @Test
    void duplicatesAndReplaysTakeEffectOnceWithDedupAndEachTimeWithout() throws Exception {
        // Characters that a path cannot contain, HTML that a page must not run, and characters outside of ASCII.
        String id = "<img src=x onerror=alert(1)>&\"'/../%2F\n😀 " + UUID.randomUUID();
        place(id);
        assertThat(client.post("orders/resend", Map.of("id", id)).statusCode()).isEqualTo(202);
        for (String topic : Topics.ALL) {
            soon(() -> {
                assertThat(client.events(topic, "claimed", id)).isOne();
                assertThat(client.events(topic, "handled", id)).isOne();
                assertThat(client.events(topic, "duplicate", id)).isOne();
                assertThat(client.events(topic, "delivered", id)).isGreaterThanOrEqualTo(2);
            });
            assertThat(client.lookUp(topic, id)).contains("\"state\":\"DONE\"").contains("\"completedAt\":\"2");
        }

        soon(() -> assertThat(plainCharges(id)).isEqualTo(2));

        for (String topic : Topics.ALL) {
            assertThat(client.post("replay", Map.of("topic", topic)).statusCode())
                    .isEqualTo(202);
            soon(() -> assertThat(client.events(topic, "duplicate", id)).isGreaterThanOrEqualTo(3));
            assertThat(client.events(topic, "handled", id)).isOne();
            soon(() -> {
                assertOnce(topic);
                assertThat(client.count(topic, "sent")).isGreaterThanOrEqualTo(2);
                assertThat(client.count(topic, "delivered")).isGreaterThanOrEqualTo(4);
                assertThat(client.count(topic, "duplicates")).isGreaterThanOrEqualTo(3);
            });
        }
        soon(() -> {
            assertThat(plainCharges(id)).isEqualTo(4);
            assertThat(client.count(Topics.ORDERS, Topics.PLAIN_GROUP, "handled"))
                    .isGreaterThan(client.count(Topics.ORDERS, Topics.PLAIN_GROUP, "handledOrders"));
            assertThat(client.count(Topics.ORDERS, Topics.PLAIN_GROUP, "excessCents"))
                    .isPositive();
            assertThat(client.count(Topics.ORDERS, Topics.PLAIN_GROUP, "duplicates"))
                    .isZero();
        });
        assertThat(client.count(Topics.ORDERS, "excessCents")).isZero();
    }

    @Test
    void handlesAfterARestartWhatWasSentWhileTheConsumerWasDead() throws Exception {
        assertThat(client.post("consumer/start", Map.of()).statusCode()).isEqualTo(409);
        String interrupted = place(UUID.randomUUID().toString());
        soon(() -> assertThat(client.lookUp(Topics.MAILS, interrupted)).contains("PROCESSING"));
        assertThat(client.post("consumer/kill", Map.of()).statusCode()).isEqualTo(200);
        soon(() -> assertThat(client.consumer()).isEqualTo("dead"));
        assertThat(client.lookUp(Topics.MAILS, interrupted)).contains("\"state\"");

        String meanwhile = place(UUID.randomUUID().toString());
        assertThat(client.lookUp(Topics.ORDERS, meanwhile)).isEqualTo("404");
        assertThat(client.post("consumer/kill", Map.of()).statusCode()).isEqualTo(409);
        assertThat(client.post("replay", Map.of("topic", Topics.ORDERS)).statusCode())
                .isEqualTo(409);

        assertThat(client.post("consumer/start", Map.of()).statusCode()).isEqualTo(202);
        for (String topic : Topics.ALL) {
            soon(() -> {
                assertThat(client.lookUp(topic, interrupted)).contains("DONE");
                assertThat(client.lookUp(topic, meanwhile)).contains("DONE");
                assertOnce(topic);
            });
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "orders        | {\"id\":\" \",\"customer\":\"Ada\",\"cents\":1}        | 400 | id: it is blank",
                "orders        | {\"id\":\"a\\u0000\",\"customer\":\"Ada\",\"cents\":1} | 400 | no U+0000",
                "orders        | {\"id\":\"\\ud800\",\"customer\":\"Ada\",\"cents\":1}  | 400 | id: ",
                "orders        | {\"customer\":\" \",\"cents\":1}                       | 400 | customer: 1 to 100",
                "orders        | {\"cents\":1}                                          | 400 | customer: 1 to 100",
                "orders        | {\"customer\":\"Ada\",\"cents\":0}                     | 400 | cents: 1 to 10000000",
                "orders        | {                                                      | 400 | Bad Request",
                "orders        | {\"customer\":\"Ada\",\"cents\":10000001}              | 400 | cents: 1 to 10000000",
                "orders/resend | {\"id\":\"nobody's\"}                                  | 404 | no such order",
                "orders/resend | {}                                                     | 404 | no such order",
                "replay        | {\"topic\":\"others\"}                                 | 400 | topic: one of",
                "replay        | {}                                                     | 400 | topic: one of"
            })
    void saysWhatIsWrong(String path, String body, int status, String problem) throws Exception {
        var answer = client.post(path, "application/json", body);

        assertThat(answer.statusCode()).isEqualTo(status);
        assertThat(answer.body()).contains(problem);
    }

    @Test
    void theConsumerServesItsMetricsToPrometheus() throws Exception {
        String id = place(UUID.randomUUID().toString());
        soon(() -> assertThat(client.events(Topics.ORDERS, "handled", id)).isOne());
        try (InputStream metrics = URI.create(SharedDemo.metricsUrl()).toURL().openStream()) {
            assertThat(new String(metrics.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("dedup_messages_total{")
                    .contains("outcome=\"handled\"");
        }
    }

    @Test
    void takesNoCommandFromAFormOfAnotherSite() throws Exception {
        assertThat(client.post("consumer/kill", "text/plain", "{}").statusCode())
                .isEqualTo(415);
        assertThat(client.get("consumer/kill").statusCode()).isEqualTo(405);
    }

    @Test
    void servesThePage() throws Exception {
        assertThat(client.get("").body()).contains("dedup, live").doesNotContain("http://", "https://");
        assertThat(client.lookUp("others", "x")).isEqualTo("400");
        assertThat(client.lookUp(Topics.ORDERS, "\t")).isEqualTo("400");
    }

    @Test
    void anIdBelongsToOneOrder() throws Exception {
        String id = place(UUID.randomUUID().toString());

        assertThat(client.post("orders", Map.of("id", id, "customer", "Ada", "cents", 4200))
                        .statusCode())
                .isEqualTo(202);
        var other = client.post("orders", Map.of("id", id, "customer", "Ada", "cents", 4201));

        assertThat(other.statusCode()).isEqualTo(409);
        assertThat(other.body()).contains("another customer or amount");
    }

    private long plainCharges(String id) {
        return client.events(Topics.ORDERS, Topics.PLAIN_GROUP, "handled", id);
    }

    private String place(String id) throws Exception {
        var answer = client.post("orders", Map.of("id", id, "customer", "Ada", "cents", 4200));
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(202);
        return id;
    }

    private void assertOnce(String topic) {
        assertThat(client.count(topic, "handled")).isPositive().isEqualTo(client.count(topic, "handledOrders"));
    }

    private static void soon(ThrowingRunnable assertion) {
        await().atMost(SharedDemo.LIMIT).untilAsserted(assertion);
    }
}
