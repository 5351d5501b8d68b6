package io.dedup.examples.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testservers.kafka.KafkaServers;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.core.KafkaTemplate;

/** On Tomcat, with Spring Security, and on Kafka. */
@TestInstance(Lifecycle.PER_CLASS)
class PaymentsTest {
    private static final Duration SOON = Duration.ofMinutes(3);
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private ConfigurableApplicationContext application;
    private JdbcTemplate database;

    @BeforeAll
    void start() {
        KafkaServers.shared().createTopic("payments", 1, Map.of());
        KafkaServers.shared().createTopic("refunds", 1, Map.of());
        application = new SpringApplicationBuilder(PaymentsApplication.class)
                .properties("server.port=0")
                .run("--spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers());
        database = application.getBean(JdbcTemplate.class);
    }

    @AfterAll
    void stop() {
        application.close();
    }

    private HttpResponse<String> post(String path, String key, String body, String user)
            throws IOException, InterruptedException {
        String port = application.getEnvironment().getProperty("local.server.port", "");
        String login = Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8));
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + path))
                        .header("Authorization", "Basic " + login)
                        .header("Idempotency-Key", '"' + key + '"')
                        .header("Content-Type", "text/plain")
                        .POST(BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
    }

    private int rows(String table) {
        Integer rows = database.queryForObject("SELECT count(*) FROM " + table, Integer.class);
        return rows == null ? 0 : rows;
    }

    @SuppressWarnings("unchecked")
    private void sendRefund(String id) {
        ProducerRecord<String, String> message = new ProducerRecord<>("refunds", "10");
        message.headers().add("refund-id", id.getBytes(StandardCharsets.UTF_8));
        KafkaTemplate<String, String> kafka = application.getBean(KafkaTemplate.class);
        kafka.send(message).join();
    }

    private List<String> refundsOf(String id) {
        return database.queryForList("SELECT done_by FROM refund WHERE refund_id = ?", String.class, id);
    }

    @Test
    @DisplayName("a payment that is sent twice is published once, and booked")
    void publishedAndBooked() throws IOException, InterruptedException {
        assertThat(post("/payments", "p1", "10", "alice").statusCode()).isEqualTo(202);
        HttpResponse<String> second = post("/payments", "p1", "10", "alice");
        assertThat(second.statusCode()).isEqualTo(202);
        assertThat(second.body()).isEqualTo("accepted 10");
        assertThat(second.headers().firstValue("Idempotency-Replayed")).contains("true");
        await().atMost(SOON).until(() -> rows("booking") == 1);
        assertThat(database.queryForList("SELECT payment_id FROM booking", String.class))
                .containsExactly("5:alice2:p1"); // client and key
    }

    @Test
    @DisplayName("who isn't authenticated gets no stored response")
    void notAuthenticated() throws IOException, InterruptedException {
        assertThat(post("/payments", "p2", "10", "alice").statusCode()).isEqualTo(202);
        HttpResponse<String> mallory = post("/payments", "p2", "10", "mallory");
        assertThat(mallory.statusCode()).isEqualTo(401);
        assertThat(mallory.headers().firstValue("Idempotency-Replayed")).isEmpty();
    }

    @Test
    @DisplayName("a refund that the listener has made isn't made by the API, and the other way round")
    void whicheverComesFirst() throws IOException, InterruptedException {
        sendRefund("r1");
        await().atMost(SOON).until(() -> !refundsOf("r1").isEmpty());
        HttpResponse<String> byApi = post("/refunds", "r1", "10", "alice");
        await().atMost(SOON).until(() -> post("/refunds", "r1", "10", "alice").statusCode() == 204);
        assertThat(byApi.statusCode()).isIn(204, 409); // the listener may just be recording it
        assertThat(refundsOf("r1")).containsExactly("listener");

        assertThat(post("/refunds", "r2", "10", "alice").body()).isEqualTo("refunded");
        sendRefund("r2");
        sendRefund("r3"); // handled after r2, on the same partition
        await().atMost(SOON).until(() -> !refundsOf("r3").isEmpty());
        assertThat(refundsOf("r2")).containsExactly("api");
    }
}
