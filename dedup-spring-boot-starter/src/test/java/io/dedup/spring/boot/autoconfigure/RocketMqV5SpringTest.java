package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupListener;
import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.TestApp;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.annotation.RocketMQMessageListener;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.apache.rocketmq.client.autoconfigure.RocketMQAutoConfiguration;
import org.apache.rocketmq.client.core.RocketMQListener;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** {@code @RocketMQMessageListener}s of the newer client's Spring Boot starter, on a real RocketMQ. */
class RocketMqV5SpringTest {
    private static final String ID = UUID.randomUUID().toString().substring(0, 8);
    private static final List<String> OUTCOMES = new CopyOnWriteArrayList<>();
    private static final List<String> HANDLED = new CopyOnWriteArrayList<>();

    @RocketMQMessageListener(topic = "${prefix}orders", consumerGroup = "${prefix}orders", tag = "*")
    static class Orders implements RocketMQListener {
        @Override
        public ConsumeResult consume(MessageView message) {
            return handle("orders", message);
        }
    }

    @Deduplicated(id = "keys")
    @RocketMQMessageListener(topic = "${prefix}clicks", consumerGroup = "${prefix}clicks", tag = "*")
    static class Clicks implements RocketMQListener {
        @Override
        public ConsumeResult consume(MessageView message) {
            return handle("clicks", message);
        }
    }

    @RocketMQMessageListener(topic = "${prefix}plain", consumerGroup = "${prefix}plain", tag = "*")
    static class Plain implements RocketMQListener {
        @Override
        public ConsumeResult consume(MessageView message) {
            return handle("plain", message);
        }
    }

    private static ConsumeResult handle(String topic, MessageView message) {
        String body =
                topic + ": " + StandardCharsets.UTF_8.decode(message.getBody().duplicate());
        boolean first = !HANDLED.contains(body);
        HANDLED.add(body);
        return body.contains("fails") && first ? ConsumeResult.FAILURE : ConsumeResult.SUCCESS;
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class,
        RocketMqV5SpringDedupAutoConfiguration.class,
        RocketMQAutoConfiguration.class
    })
    @Import({Orders.class, Clicks.class, Plain.class})
    static class App {
        @Bean
        DedupListener outcomes() {
            return new Outcomes(OUTCOMES);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class,
        RocketMqV5SpringDedupAutoConfiguration.class,
        RocketMQAutoConfiguration.class
    })
    static class Pulling {}

    @Test
    @DisplayName(
            "By YAML alone and by the annotation alone: each ID takes effect once; a topic without an entry stays as it is")
    void eachIdTakesEffectOnce() throws Exception {
        RocketMqServer server = RocketMqServers.shared();
        for (String topic : List.of("orders", "clicks", "plain")) {
            server.createTopic(ID + topic, TopicType.NORMAL, 1);
            server.createGroup(ID + topic, false, 16, Duration.ofMillis(200));
        }
        try (ConfigurableApplicationContext context = start(server, App.class, "--dedup.strict=true");
                Producer producer = ClientServiceProvider.loadService()
                        .newProducerBuilder()
                        .setClientConfiguration(ClientConfiguration.newBuilder()
                                .setEndpoints(server.endpoints())
                                .enableSsl(false)
                                .build())
                        .setTopics(ID + "orders", ID + "clicks", ID + "plain")
                        .build()) {
            for (String topic : List.of("orders", "clicks")) {
                send(producer, topic, "a", "fails once");
                await().atMost(TestApp.LIMIT).until(() -> count(topic + ": fails once") == 2);
                send(producer, topic, "a", "duplicate");
                send(producer, topic, "b", "last");
                await().atMost(TestApp.LIMIT).until(() -> HANDLED.contains(topic + ": last"));
            }
            send(producer, "plain", "a", "plain");
            send(producer, "plain", "a", "plain");
            await().atMost(TestApp.LIMIT).until(() -> count("plain: plain") == 2);
            await().atMost(TestApp.LIMIT)
                    .untilAsserted(() ->
                            assertThat(OUTCOMES).contains("duplicate " + ID + "orders", "duplicate " + ID + "clicks"));
            assertThat(HANDLED).noneMatch(each -> each.contains("duplicate"));
            assertThat(context.getBean(DeduplicatorRegistry.class).listeners())
                    .extracting(served -> served.listener().consumer())
                    .containsExactlyInAnyOrder(ID + "orders", ID + "clicks");
        }
    }

    @Test
    @DisplayName("A simple consumer of a configured topic is refused at start")
    void simpleConsumer() {
        RocketMqServer server = RocketMqServers.shared();
        assertThat(Refusals.of(() -> start(
                        server,
                        Pulling.class,
                        "--rocketmq.simple-consumer.endpoints=" + server.endpoints(),
                        "--rocketmq.simple-consumer.consumer-group=" + ID + "pulling",
                        "--rocketmq.simple-consumer.tag=*",
                        "--rocketmq.simple-consumer.topic=" + ID + "orders")))
                .contains("RocketMQClientTemplate.receive", "dedup.listeners.simpleConsumerBuilder.enabled: false");
    }

    private static long count(String body) {
        return HANDLED.stream().filter(body::equals).count();
    }

    private static void send(Producer producer, String topic, String key, String body) throws Exception {
        producer.send(ClientServiceProvider.loadService()
                .newMessageBuilder()
                .setTopic(ID + topic)
                .setKeys(key)
                .addProperty("order-id", key)
                .setBody(body.getBytes(StandardCharsets.UTF_8))
                .build());
    }

    private static ConfigurableApplicationContext start(RocketMqServer server, Class<?> app, String... settings) {
        SpringApplication application = new SpringApplication(app);
        application.setWebApplicationType(WebApplicationType.NONE);
        List<String> all = new ArrayList<>(List.of(
                "--spring.autoconfigure.exclude=",
                "--prefix=" + ID,
                "--rocketmq.push-consumer.endpoints=" + server.endpoints(),
                "--dedup.store=memory",
                "--dedup.topics.[" + ID + "orders].id=property:order-id"));
        all.addAll(List.of(settings));
        return application.run(all.toArray(String[]::new));
    }
}
