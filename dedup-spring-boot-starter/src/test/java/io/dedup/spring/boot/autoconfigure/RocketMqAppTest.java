package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome;
import io.dedup.DedupOutcome.DeferReason;
import io.dedup.Deduplicator;
import io.dedup.spring.boot.TestApp;
import io.dedup.spring.boot.autoconfigure.RetriedHandlers.Retried;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.rocketmq.RocketMqConsumerCheck;
import io.dedup.spring.boot.internal.store.DedupStores;
import io.dedup.store.DedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServer.TopicType;
import io.dedup.testservers.rocketmq.RocketMqServers;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.rocketmq.client.apis.ClientConfiguration;
import org.apache.rocketmq.client.apis.ClientException;
import org.apache.rocketmq.client.apis.ClientServiceProvider;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.consumer.PushConsumerBuilder;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.apache.rocketmq.client.apis.producer.Producer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A push consumer bean with a message listener bean, on a real RocketMQ. */
class RocketMqAppTest {
    private static final String ID = UUID.randomUUID().toString().substring(0, 8);
    private static final String ORDERS = "orders-" + ID;
    private static final String READ = "read-" + ID;
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
        try (ConfigurableApplicationContext context = start(server, App.class, "--dedup.strict=true");
                Producer producer = ClientServiceProvider.loadService()
                        .newProducerBuilder()
                        .setClientConfiguration(configuration(server.endpoints()))
                        .setTopics(ORDERS, PLAIN)
                        .build()) {
            send(producer, ORDERS, "fails once", "a");
            await().until(() -> HANDLED.stream().filter("fails once"::equals).count() == 2);
            send(producer, ORDERS, "duplicate", "a");
            send(producer, ORDERS, "last", "b");
            send(producer, PLAIN, "plain", "c");
            send(producer, PLAIN, "plain", "c");
            await().until(() -> HANDLED.contains("last"));
            await().until(() -> HANDLED.stream().filter("plain"::equals).count() == 2);
            DeduplicatorRegistry registry = context.getBean(DeduplicatorRegistry.class);
            await().until(() -> context.getBean(DedupStores.class)
                    .store()
                    .find(registry.deduplicators().get(0).deduplicator().key(ORDERS, "b"))
                    .isPresent());
            assertThat(HANDLED).doesNotContain("duplicate");
            assertThat(registry.listeners())
                    .singleElement()
                    .satisfies(
                            served -> assertThat(served.listener().consumer()).isEqualTo("group-" + ID));
        }
    }

    private static final CountDownLatch STARTED = new CountDownLatch(1);
    private static final CountDownLatch RELEASED = new CountDownLatch(1);
    private static final CountDownLatch CLOSING = new CountDownLatch(1);
    private static final List<DeferReason> DEFERRED = new CopyOnWriteArrayList<>();
    private static final Map<String, Integer> ATTEMPTS = new ConcurrentHashMap<>();

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DedupAutoConfiguration.class, RocketMqDedupAutoConfiguration.class})
    static class Restarted {
        private static final DedupStore STORE = new InMemoryDedupStore();

        /** Outlives the application, as a real one does. */
        @Bean(destroyMethod = "")
        DedupStore store() {
            return STORE;
        }

        @Bean
        MessageListener billing() {
            return message -> {
                String id = message.getProperties().get("order-id");
                if (id.equals("slow")) {
                    STARTED.countDown();
                    try {
                        if (!RELEASED.await(TestApp.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                            return ConsumeResult.FAILURE;
                        }
                    } catch (InterruptedException e) {
                        return ConsumeResult.FAILURE;
                    }
                }
                ATTEMPTS.merge(id, message.getDeliveryAttempt(), Math::max);
                return ConsumeResult.SUCCESS;
            };
        }

        @Bean
        DedupListener events() {
            return new DedupListener() {
                @Override
                public void deferred(@Nullable DedupKey key, DeferReason reason, Duration retryAfter) {
                    DEFERRED.add(reason);
                }
            };
        }

        @Bean
        PushConsumer consumer(MessageListener billing, Environment environment) throws ClientException {
            PushConsumer consumer = ClientServiceProvider.loadService()
                    .newPushConsumerBuilder()
                    .setClientConfiguration(configuration(environment.getRequiredProperty("endpoints")))
                    .setConsumerGroup("group-" + ID)
                    .setSubscriptionExpressions(Map.of(ORDERS, FilterExpression.SUB_ALL))
                    .setMessageListener(billing)
                    .build();
            return (PushConsumer) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {PushConsumer.class}, (proxy, method, args) -> {
                        if (method.getName().equals("close")) {
                            CLOSING.countDown();
                        }
                        return method.invoke(consumer, args);
                    });
        }
    }

    @Test
    @DisplayName(
            "R9: a restart while messages arrive spends none of their attempts, and a handler that is running is awaited")
    void restart() throws Exception {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic(ORDERS, TopicType.NORMAL, 1);
        server.createGroup("group-" + ID, false, 16, Duration.ofMillis(200));
        List<String> ids = new ArrayList<>(List.of("slow"));
        try (Producer producer = ClientServiceProvider.loadService()
                .newProducerBuilder()
                .setClientConfiguration(configuration(server.endpoints()))
                .setTopics(ORDERS)
                .build()) {
            ConfigurableApplicationContext context = start(server, Restarted.class);
            send(producer, ORDERS, "slow", "slow");
            assertThat(STARTED.await(TestApp.LIMIT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close);
            Deduplicator deduplicator = context.getBean(DeduplicatorRegistry.class)
                    .deduplicators()
                    .get(0)
                    .deduplicator();
            await().until(() -> CLOSING.getCount() == 0
                    || deduplicator.execute(
                                    deduplicator.key(ORDERS, UUID.randomUUID().toString()), run -> "")
                            instanceof DedupOutcome.Deferred);
            DEFERRED.clear(); // the probes
            for (int i = 0; i < 10; i++) {
                send(producer, ORDERS, "while closing", "m" + i);
                ids.add("m" + i);
            }
            await().until(() -> !ATTEMPTS.isEmpty() || !DEFERRED.isEmpty());
            RELEASED.countDown();
            closing.get(TestApp.LIMIT.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(DEFERRED).doesNotContain(DeferReason.CLOSED);
        try (ConfigurableApplicationContext again = start(server, Restarted.class)) {
            await().until(() -> ATTEMPTS.keySet().containsAll(ids));
        }
        // 2 for a message that the client has received after it stopped to handle any
        assertThat(ATTEMPTS.values())
                .allSatisfy(attempts -> assertThat(attempts).isLessThanOrEqualTo(2));
        assertThat(ATTEMPTS).containsEntry("slow", 1);
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DedupAutoConfiguration.class, RocketMqDedupAutoConfiguration.class})
    static class PastTheStarter {
        @Bean
        PushConsumerBuilder builder(Environment environment) {
            return ClientServiceProvider.loadService()
                    .newPushConsumerBuilder()
                    .setClientConfiguration(configuration(environment.getRequiredProperty("endpoints")))
                    .setConsumerGroup("past-" + ID)
                    .setSubscriptionExpressions(Map.of(READ, FilterExpression.SUB_ALL))
                    .setMessageListener(message -> ConsumeResult.SUCCESS);
        }

        @Bean
        PushConsumer ledger(PushConsumerBuilder builder) throws ClientException {
            return builder.build();
        }
    }

    @Test
    void aConsumerWhoseListenerIsNobodysBeanIsWarnedOf() {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic(READ, TopicType.NORMAL, 1);
        server.createGroup("past-" + ID, false, 16, Duration.ofMillis(200));
        try (ConfigurableApplicationContext context = start(server, PastTheStarter.class)) {
            assertThat(context.getBean(RocketMqConsumerCheck.class).warnings(List.of()))
                    .singleElement()
                    .satisfies(warning -> {
                        assertThat(warning.problem())
                                .contains("push consumer ledger of group past-" + ID
                                        + " reads topics of dedup.topics, [" + READ + "]");
                        assertThat(warning.action())
                                .contains("dedup.listeners.<that bean>.consumer-group to past-" + ID);
                    });
        }
        assertThatThrownBy(() -> start(server, PastTheStarter.class, "--dedup.strict=true"))
                .hasStackTraceContaining("push consumer ledger of group past-" + ID);
        start(server, PastTheStarter.class, "--dedup.strict=true", "--dedup.listeners.ledger.enabled=false")
                .close();
    }

    /** As with Kafka: rather no start than deliveries that fail until the broker gives the messages up. */
    @Test
    void aStoreThatDoesNotAnswerFailsTheStart() {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic(ORDERS, TopicType.NORMAL, 1);
        server.createTopic(PLAIN, TopicType.NORMAL, 1);
        server.createGroup("group-" + ID, false, 16, Duration.ofMillis(200));
        assertThatThrownBy(
                        () -> start(server, App.class, "--dedup.redis.url=redis://localhost:1", "--dedup.store=redis"))
                .hasStackTraceContaining("localhost:1");
    }

    @Test
    void aStoreThatWarnsFailsAStrictStartOnly() {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic(ORDERS, TopicType.NORMAL, 1);
        server.createTopic(PLAIN, TopicType.NORMAL, 1);
        server.createGroup("group-" + ID, false, 16, Duration.ofMillis(200));
        try (RedisServer redis = RedisServers.start()) {
            redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
            String[] settings = {
                "--dedup.store=redis", "--dedup.redis.url=" + redis.uri(), "--dedup.redis.command-timeout=20s"
            };
            try (ConfigurableApplicationContext context = start(server, App.class, settings)) {
                assertThat(context.getBean(DeduplicatorRegistry.class).listeners())
                        .singleElement()
                        .satisfies(served ->
                                assertThat(served.listener().byTopic()).containsOnlyKeys(ORDERS));
            }
            assertThatThrownBy(() ->
                            start(server, App.class, settings[0], settings[1], settings[2], "--dedup.strict=true"))
                    .hasStackTraceContaining("allkeys-lru");
            // a listener whose consumer is nobody's bean
            assertThatThrownBy(() -> start(
                            server, ListenerOnly.class, settings[0], settings[1], settings[2], "--dedup.strict=true"))
                    .hasStackTraceContaining("allkeys-lru");
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DedupAutoConfiguration.class, RocketMqDedupAutoConfiguration.class})
    static class ListenerOnly {
        @Bean
        MessageListener billing() {
            return message -> ConsumeResult.SUCCESS;
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        DedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class
    })
    static class Outside {
        static class Billing implements MessageListener {
            @Override
            @Transactional(propagation = Propagation.REQUIRES_NEW)
            public ConsumeResult consume(MessageView message) {
                return ConsumeResult.SUCCESS;
            }
        }

        @Bean
        Billing billing() {
            return new Billing();
        }

        @Bean
        PushConsumer consumer(MessageListener billing, Environment environment) throws ClientException {
            return new App().consumer(billing, environment);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        DedupAutoConfiguration.class,
        RocketMqDedupAutoConfiguration.class
    })
    @Import(RetriedHandlers.class)
    static class Repeated {
        static class RepeatedBilling implements MessageListener {
            @Override
            @Retried
            public ConsumeResult consume(MessageView message) {
                return ConsumeResult.SUCCESS;
            }
        }

        @Bean
        RepeatedBilling billing() {
            return new RepeatedBilling();
        }

        @Bean
        PushConsumer consumer(MessageListener billing, Environment environment) throws ClientException {
            return new App().consumer(billing, environment);
        }
    }

    /** Each of its messages would fail, and end in the group's dead letter queue; or be committed with what failed tries have written. */
    @Test
    void aHandlerOutsideOfItsTransactionOrRepeatedInItFailsTheStart() {
        RocketMqServer server = RocketMqServers.shared();
        server.createTopic(ORDERS, TopicType.NORMAL, 1);
        server.createTopic(PLAIN, TopicType.NORMAL, 1);
        server.createGroup("group-" + ID, false, 16, Duration.ofMillis(200));
        String[] settings = {
            "--dedup.store=jdbc",
            "--spring.datasource.generate-unique-name=true",
            "--dedup.topics." + ORDERS + ".mode=transactional"
        };
        assertThatThrownBy(() -> start(server, Outside.class, settings))
                .hasStackTraceContaining("RocketMQ listener billing cannot be deduplicated: topic " + ORDERS)
                .hasStackTraceContaining("is @Transactional(propagation = REQUIRES_NEW)");
        assertThatThrownBy(() -> start(server, Repeated.class, settings))
                .hasStackTraceContaining("RocketMQ listener billing cannot be deduplicated: topic " + ORDERS)
                .hasStackTraceContaining("is called again after a failure, by its advice TwiceRetryInterceptor");
    }

    private static ConfigurableApplicationContext start(RocketMqServer server, Class<?> app, String... settings) {
        SpringApplication application = new SpringApplication(app);
        application.setWebApplicationType(WebApplicationType.NONE);
        List<String> all = new ArrayList<>(List.of(settings));
        all.add("--endpoints=" + server.endpoints());
        if (all.stream().noneMatch(setting -> setting.startsWith("--dedup.store="))) {
            all.add("--dedup.store=memory");
        }
        all.add("--dedup.topics." + (app == PastTheStarter.class ? READ : ORDERS) + ".id=property:order-id");
        if (app != PastTheStarter.class) {
            all.add("--dedup.listeners.billing.consumer-group=group-" + ID);
        }
        return application.run(all.toArray(String[]::new));
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
                .setRequestTimeout(Duration.ofSeconds(20)) // its 3 s are short for a busy machine
                .build();
    }
}
