package io.dedup.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.testservers.RocketMqServer;
import io.dedup.testservers.RocketMqServer.TopicType;
import io.dedup.testservers.RocketMqServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** A push consumer bean with a message listener bean, on a real RocketMQ. */
class RocketMqAppTest {
    private static final String ID = UUID.randomUUID().toString().substring(0, 8);
    private static final String ORDERS = "orders-" + ID;
    private static final String PLAIN = "plain-" + ID;
    private static final List<String> HANDLED = new CopyOnWriteArrayList<>();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DedupAutoConfiguration.class, RocketMqDedupAutoConfiguration.class})
    static class App {
        @Bean
        MessageListener billing() {
            return message -> {
                String body = StandardCharsets.UTF_8
                        .decode(message.getBody().duplicate())
                        .toString();
                boolean first = !HANDLED.contains(body);
                HANDLED.add(body);
                return body.startsWith("fails") && first ? ConsumeResult.FAILURE : ConsumeResult.SUCCESS;
            };
        }

        @Bean
        PushConsumer consumer(MessageListener billing, Environment environment) throws ClientException {
            return ClientServiceProvider.loadService()
                    .newPushConsumerBuilder()
                    .setClientConfiguration(configuration(environment.getRequiredProperty("endpoints")))
                    .setConsumerGroup("group-" + ID)
                    .setSubscriptionExpressions(
                            Map.of(ORDERS, FilterExpression.SUB_ALL, PLAIN, FilterExpression.SUB_ALL))
                    .setMessageListener(billing)
                    .build();
        }
    }

    @Test
    void aConfiguredTopicTakesEffectOnceAndAnotherIsLeftAlone() throws Exception {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic(ORDERS, TopicType.NORMAL, 1);
        server.createTopic(PLAIN, TopicType.NORMAL, 1);
        server.createGroup("group-" + ID, false, 16, Duration.ofMillis(200));
        try (ConfigurableApplicationContext context = start(server);
                Producer producer = ClientServiceProvider.loadService()
                        .newProducerBuilder()
                        .setClientConfiguration(configuration(server.endpoints()))
                        .setTopics(ORDERS, PLAIN)
                        .build()) {
            send(producer, ORDERS, "fails once", "a");
            await().atMost(TestApp.LIMIT)
                    .until(() -> HANDLED.stream().filter("fails once"::equals).count() == 2);
            send(producer, ORDERS, "duplicate", "a");
            send(producer, ORDERS, "last", "b");
            send(producer, PLAIN, "plain", "c");
            send(producer, PLAIN, "plain", "c");
            await().atMost(TestApp.LIMIT).until(() -> HANDLED.contains("last"));
            await().atMost(TestApp.LIMIT)
                    .until(() -> HANDLED.stream().filter("plain"::equals).count() == 2);
            DedupUnits units = context.getBean(DedupUnits.class);
            await().atMost(TestApp.LIMIT)
                    .until(() -> context.getBean(DedupStores.class)
                            .store()
                            .find(units.units().get(0).deduplicator().key(ORDERS, "b"))
                            .isPresent());
            assertThat(HANDLED).doesNotContain("duplicate");
            assertThat(units.served())
                    .singleElement()
                    .satisfies(
                            served -> assertThat(served.listener().consumer()).isEqualTo("group-" + ID));
        }
    }

    private static ConfigurableApplicationContext start(RocketMqServer server) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        return application.run(
                "--endpoints=" + server.endpoints(),
                "--dedup.store=memory",
                "--dedup.topics." + ORDERS + ".id=property:order-id",
                "--dedup.listeners.billing.consumer-group=group-" + ID);
    }

    private static void send(Producer producer, String topic, String body, String id) throws ClientException {
        producer.send(ClientServiceProvider.loadService()
                .newMessageBuilder()
                .setTopic(topic)
                .addProperty("order-id", id)
                .setBody(body.getBytes(StandardCharsets.UTF_8))
                .build());
    }

    private static ClientConfiguration configuration(String endpoints) {
        return ClientConfiguration.newBuilder()
                .setEndpoints(endpoints)
                .enableSsl(false)
                .build();
    }
}
