package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServers;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.listener.MessageListenerContainer;

/** The store goes away and comes back: consumers pause, liveness stays, readiness goes. */
class OutageTest {
    private static final String TOPIC = "outage-" + UUID.randomUUID();
    private static final List<String> HANDLED = new CopyOnWriteArrayList<>();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    static class App {
        @KafkaListener(id = "outage", topics = "${topic}")
        void on(String value) {
            HANDLED.add(value);
        }
    }

    @Test
    void pausesAndTellsReadinessAlone() throws Exception {
        KafkaServers.shared().createTopic(TOPIC, 1);
        try (TcpProxy proxy = TcpProxy.to(
                        RedisServers.shared().host(), RedisServers.shared().port());
                ConfigurableApplicationContext context = start(proxy)) {
            send(context, "1");
            await().until(() -> HANDLED.contains("1"));
            assertThat(status(context, "/actuator/health/readiness")).isEqualTo(200);

            proxy.refuse();
            proxy.cut();
            send(context, "2");
            MessageListenerContainer container =
                    context.getBean(KafkaListenerEndpointRegistry.class).getListenerContainer("outage");
            await().until(container::isPauseRequested);
            await().until(() -> status(context, "/actuator/health/readiness") == 503);
            assertThat(status(context, "/actuator/health/liveness")).isEqualTo(200);
            assertThat(HANDLED).containsExactly("1");

            proxy.heal();
            await().until(() -> HANDLED.contains("2"));
            await().until(() -> status(context, "/actuator/health/readiness") == 200);
            assertThat(HANDLED).containsExactly("1", "2");

            assertThat(status(context, "/actuator/dedup")).isEqualTo(200);
            HttpRequest.Builder delete = request(context, "/actuator/dedup/outage:" + TOPIC + "/1");
            assertThat(status(delete)).isEqualTo(200);
            assertThat(status(delete.DELETE())).isEqualTo(405);
            assertThat(status(delete.POST(HttpRequest.BodyPublishers.ofString("{}"))))
                    .isEqualTo(405);
        }
    }

    private static ConfigurableApplicationContext start(TcpProxy proxy) {
        return new SpringApplication(App.class)
                .run(
                        "--topic=" + TOPIC,
                        "--server.port=0",
                        "--spring.kafka.bootstrap-servers="
                                + KafkaServers.shared().bootstrapServers(),
                        "--spring.kafka.consumer.auto-offset-reset=earliest",
                        "--spring.data.redis.host=localhost",
                        "--spring.data.redis.port=" + proxy.port(),
                        "--management.endpoints.web.exposure.include=*",
                        "--management.endpoint.health.probes.enabled=true",
                        "--management.endpoint.health.group.readiness.include=readinessState,dedup",
                        "--dedup.store=redis",
                        "--dedup.redis.namespace=" + TOPIC,
                        "--dedup.topics." + TOPIC + ".id=spel:value",
                        "--dedup.topics." + TOPIC + ".on-store-failure=pause");
    }

    @SuppressWarnings("unchecked")
    private static void send(ConfigurableApplicationContext context, String value) {
        context.getBean(KafkaTemplate.class).send(TOPIC, value).join();
    }

    private static int status(ConfigurableApplicationContext context, String path) throws Exception {
        return status(request(context, path));
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext context, String path) {
        return HttpRequest.newBuilder(URI.create(
                        "http://localhost:" + context.getEnvironment().getProperty("local.server.port") + path))
                .header("Content-Type", "application/json");
    }

    private static int status(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient()
                .send(request.build(), BodyHandlers.ofString())
                .statusCode();
    }
}
