package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.dedup.spring.boot.DedupConfigurationException;
import io.dedup.spring.boot.TestApp;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;

/** docs/recipes/moving-brokers.md: one application reads the same orders from a real Kafka and a real RocketMQ. */
class MovingBrokersTest {
    private static final String ID = UUID.randomUUID().toString().substring(0, 8);
    private static final String ORDERS = "moving-" + ID;
    private static final String[] NAMED = {
        "--dedup.listeners.billing-kafka.consumer=billing", "--dedup.listeners.billing.consumer=billing"
    };
    private static final List<String> HANDLED = new CopyOnWriteArrayList<>();
    private static final CountDownLatch STARTED = new CountDownLatch(1);
    private static final CountDownLatch RELEASED = new CountDownLatch(1);

    private static RocketMqServer server;
    private static Producer producer;

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        KafkaAutoConfiguration.class,
        DedupAutoConfiguration.class,
        KafkaDedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class
    })
    static class App {
        @KafkaListener(id = "billing-kafka", groupId = "kafka-${id}", topics = "${topic}")
        void order(String order) throws InterruptedException {
            if (order.equals("slow")) {
                STARTED.countDown();
                assertThat(RELEASED.await(TestApp.LIMIT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
            }
            HANDLED.add(order);
        }

        @Bean
        MessageListener billing() {
            return message -> {
                HANDLED.add(StandardCharsets.UTF_8
                        .decode(message.getBody().duplicate())
                        .toString());
                return ConsumeResult.SUCCESS;
            };
        }

        @Bean
        PushConsumer consumer(MessageListener billing) throws ClientException {
            return ClientServiceProvider.loadService()
                    .newPushConsumerBuilder()
                    .setClientConfiguration(configuration())
                    .setConsumerGroup("rocketmq-" + ID)
                    .setSubscriptionExpressions(Map.of(ORDERS, FilterExpression.SUB_ALL))
                    .setMessageListener(billing)
                    .build();
        }
    }

    @BeforeAll
    static void start() throws ClientException {
        server = RocketMqServers.shared();
        server.createTopic(ORDERS, TopicType.NORMAL, 1);
        server.createGroup("rocketmq-" + ID, false, 16, Duration.ofMillis(200));
        KafkaServers.shared().createTopic(ORDERS, 2);
        producer = ClientServiceProvider.loadService()
                .newProducerBuilder()
                .setClientConfiguration(configuration())
                .setTopics(ORDERS)
                .build();
    }

    @AfterAll
    static void stop() throws Exception {
        producer.close();
    }

    @Test
    @DisplayName("each order takes effect once, whichever broker brings it, also both at the same time")
    void once() throws Exception {
        try (ConfigurableApplicationContext context = start(NAMED)) {
            List<String> orders = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                String order = "order-" + i;
                orders.add(order);
                if (i % 2 == 0) {
                    toKafka(context, order);
                    toRocketMq(order);
                } else {
                    toRocketMq(order);
                    toKafka(context, order);
                }
            }
            toKafka(context, "slow");
            assertThat(STARTED.await(TestApp.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            toRocketMq("slow"); // while the first copy is with its handler
            toRocketMq("behind");
            await().until(() -> HANDLED.contains("behind"));
            RELEASED.countDown();
            for (String last : List.of("last-0", "last-1", "last-2", "last-3")) { // on both partitions
                toKafka(context, last);
                orders.add(last);
            }
            orders.addAll(List.of("slow", "behind"));
            await().until(() -> HANDLED.containsAll(orders));
            toRocketMq("slow");
            toRocketMq("end");
            orders.add("end");
            await().until(() -> HANDLED.contains("end"));
            assertThat(HANDLED).containsExactlyInAnyOrderElementsOf(orders);
        }
    }

    @Test
    @DisplayName("two groups of two brokers that have the same consumer name by chance fail the start")
    void byChance() {
        DedupConfigurationException failure = failureOf("--dedup.listeners.billing.consumer=kafka-" + ID);
        assertThat(failure).hasMessageContaining("read the same topics under the consumer name kafka-" + ID);
        assertThat(failure.action())
                .contains(
                        "set both dedup.listeners.billing.consumer and dedup.listeners.billing-kafka.consumer to kafka-"
                                + ID);
    }

    @Test
    @DisplayName("so do two listeners whose messages cannot share their records")
    void otherSettings() {
        DedupConfigurationException failure =
                failureOf(NAMED[0], NAMED[1], "--dedup.listeners.billing.fingerprint=true");
        assertThat(failure).hasMessageContaining("under the consumer name billing, but with different settings");
        assertThat(failure.action()).isEqualTo("Give both listeners the same mode, fingerprint and shadow.");
    }

    private static DedupConfigurationException failureOf(String... settings) {
        Throwable failure = catchThrowable(() -> start(settings).close());
        while (failure != null && !(failure instanceof DedupConfigurationException)) {
            failure = failure.getCause();
        }
        assertThat(failure).isNotNull();
        return (DedupConfigurationException) failure;
    }

    private static ConfigurableApplicationContext start(String... settings) {
        SpringApplication application = new SpringApplication(App.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        List<String> all = new ArrayList<>(List.of(settings));
        all.addAll(List.of(
                "--id=" + ID,
                "--topic=" + ORDERS,
                "--spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers(),
                "--spring.kafka.consumer.auto-offset-reset=earliest",
                "--dedup.store=redis",
                "--dedup.redis.command-timeout=20s", // a busy machine
                "--dedup.redis.url=redis://" + RedisServers.shared().host() + ":"
                        + RedisServers.shared().port(),
                "--dedup.redis.namespace=" + ORDERS,
                "--dedup.listeners.billing-kafka.id=header:order-id",
                "--dedup.listeners.billing.id=property:order-id",
                "--dedup.listeners.billing.consumer-group=rocketmq-" + ID));
        return application.run(all.toArray(String[]::new));
    }

    @SuppressWarnings("unchecked")
    private static void toKafka(ConfigurableApplicationContext context, String order) {
        KafkaTemplate<String, String> template = context.getBean(KafkaTemplate.class);
        ProducerRecord<String, String> record = new ProducerRecord<>(ORDERS, order, order);
        record.headers().add("order-id", order.getBytes(StandardCharsets.UTF_8));
        template.send(record).orTimeout(60, TimeUnit.SECONDS).join();
    }

    private static void toRocketMq(String order) throws ClientException {
        producer.send(ClientServiceProvider.loadService()
                .newMessageBuilder()
                .setTopic(ORDERS)
                .addProperty("order-id", order)
                .setBody(order.getBytes(StandardCharsets.UTF_8))
                .build());
    }

    private static ClientConfiguration configuration() {
        return ClientConfiguration.newBuilder()
                .setEndpoints(server.endpoints())
                .enableSsl(false)
                .build();
    }
}
