package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.DedupOutcome;
import io.dedup.Deduplicator;
import io.dedup.spring.boot.PlayedMessage;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.store.DedupStore;
import io.dedup.store.StoredRecord;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.transaction.TransactionalRecords;
import io.dedup.testservers.kafka.KafkaServers;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.LitePushConsumer;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.apache.rocketmq.client.apis.consumer.SimpleConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/**
 * S14: an application closes what deduplicates before the beans that this needs. A handler that is still running then ends as
 * usual: its success is recorded, and the record is there for the next copy of its message.
 */
class CloseOrderTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final String PROBE = "probe";

    /** One run of a handler, as the application's beans see it. */
    static final class Run {
        final CountDownLatch started = new CountDownLatch(1);
        final CountDownLatch release = new CountDownLatch(1);
        final List<String> events = new CopyOnWriteArrayList<>();

        void handle() {
            started.countDown();
            try {
                if (!release.await(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                    throw new IllegalStateException("nobody released the handler");
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            events.add("handled");
        }

        void event(DedupKey key, String what) {
            if (!key.messageId().equals(PROBE)) {
                events.add(what);
            }
        }
    }

    /** What all of these applications have. */
    @Configuration(proxyBeanMethods = false)
    static class Common {
        @Bean
        DedupListener events(Run run) {
            return new DedupListener() {
                @Override
                public void completed(DedupKey key, Duration handlerTime) {
                    run.event(key, "completed");
                }

                @Override
                public void completionPending(DedupKey key) {
                    run.event(key, "pending");
                }

                @Override
                public void completionDropped(DedupKey key) {
                    run.event(key, "dropped");
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Common.class)
    static class RocketMq {
        @Bean
        MessageListener billing(Run run) {
            return message -> {
                run.handle();
                return ConsumeResult.SUCCESS;
            };
        }
    }

    /** The pool that Spring Boot makes. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class BootsPool extends RocketMq {}

    /**
     * Two pools and two transaction managers; properties name those of the records. Lazy, and so made after what needs them:
     * without an order they are closed first.
     */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class TwoPools extends RocketMq {
        @Bean
        @Lazy
        DataSource other() {
            return pool("jdbc:h2:mem:other");
        }

        @Bean
        @Lazy
        DataSource records(Environment environment) {
            return pool(environment.getRequiredProperty("spring.datasource.url"));
        }

        @Bean
        @Lazy
        PlatformTransactionManager otherTransactions(DataSource other) {
            return new JdbcTransactionManager(other);
        }

        @Bean
        @Lazy
        PlatformTransactionManager recordTransactions(DataSource records) {
            return new JdbcTransactionManager(records);
        }
    }

    /** A store that the application has built, over a pool of its own; lazy as well. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class OwnStore extends RocketMq {
        @Bean
        @Lazy
        DataSource dataSource(Environment environment) {
            return pool(environment.getRequiredProperty("spring.datasource.url"));
        }

        @Bean
        @Lazy
        DedupStore store(DataSource dataSource) {
            return JdbcDedupStore.builder(dataSource).build();
        }

        @Bean
        @Lazy
        TransactionalRecords transactionalRecords(DedupStore store, PlatformTransactionManager transactionManager) {
            return ((JdbcDedupStore) store).transactions(transactionManager);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Common.class)
    static class Kafka {
        private final Run run;

        Kafka(Run run) {
            this.run = run;
        }

        @KafkaListener(id = "billing", topics = "${topic}", batch = "${batch}")
        void handle(List<String> values) {
            run.handle();
        }
    }

    /** What receives from RocketMQ, and notes at its end whether a message could still be handled. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({DedupAutoConfiguration.class, RocketMqDedupAutoConfiguration.class})
    static class Consumers {
        @Bean
        MessageListener billing(Run run) {
            return message -> {
                run.events.add("handled");
                return ConsumeResult.SUCCESS;
            };
        }

        @Bean
        PushConsumer push(ObjectProvider<MessageListener> billing, Run run) {
            return consumer(PushConsumer.class, billing.getObject(), run);
        }

        @Bean
        LitePushConsumer lite(ObjectProvider<MessageListener> billing, Run run) {
            return consumer(LitePushConsumer.class, billing.getObject(), run);
        }

        @Bean
        SimpleConsumer simple(ObjectProvider<MessageListener> billing, Run run) {
            return consumer(SimpleConsumer.class, billing.getObject(), run);
        }

        /** A loop of the application's own. */
        @Bean
        AutoCloseable loop(MessageListener billing, Run run) {
            return consumer(AutoCloseable.class, billing, run);
        }

        private static <T> T consumer(Class<T> type, MessageListener listener, Run run) {
            return type.cast(Proxy.newProxyInstance(
                    type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                        switch (method.getName()) {
                            case "close" ->
                                run.events.add(type.getSimpleName() + " "
                                        + listener.consume(PlayedMessage.of("orders", type.getSimpleName())));
                            case "hashCode" -> {
                                return System.identityHashCode(proxy);
                            }
                            case "equals" -> {
                                return proxy == args[0];
                            }
                            case "getConsumerGroup" -> {
                                return "billing";
                            }
                            case "getSubscriptionExpressions" -> {
                                return Map.of("orders", FilterExpression.SUB_ALL);
                            }
                            default -> throw new IllegalStateException(method.getName());
                        }
                        return null;
                    }));
        }
    }

    @Test
    @DisplayName("R9: whatever receives from RocketMQ is closed while messages can still be handled")
    void consumersFirst() {
        Run run = new Run();
        start(
                        Consumers.class,
                        run,
                        List.of(
                                "--dedup.store=memory",
                                "--dedup.topics.orders.id=property:order-id",
                                "--dedup.listeners.billing.consumer-group=billing"))
                .close();
        assertThat(run.events)
                .contains(
                        "PushConsumer SUCCESS",
                        "LitePushConsumer SUCCESS",
                        "SimpleConsumer SUCCESS",
                        "AutoCloseable SUCCESS");
    }

    /** It fails before the starter's own beans are made. */
    @Configuration(proxyBeanMethods = false)
    @Import(Consumers.class)
    static class Failing {
        @Bean
        @DependsOn("push")
        String fails() {
            throw new IllegalStateException("on purpose");
        }
    }

    @Test
    @DisplayName("R9: consumers are closed, too, when the start fails before anything that deduplicates is there")
    void failedStart() {
        Run run = new Run();
        assertThatThrownBy(() -> start(Failing.class, run, List.of("--dedup.store=memory")))
                .hasStackTraceContaining("on purpose");
        assertThat(run.events).contains("PushConsumer SUCCESS");
    }

    private static HikariDataSource pool(String url) {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(url);
        pool.setUsername("sa");
        return pool;
    }

    @ParameterizedTest
    @CsvSource({
        "BOOTS, leased, embedded",
        "BOOTS, leased, never",
        "BOOTS, transactional, embedded",
        "BOOTS, transactional, never",
        "BOOTS, leased-transactional, never",
        "TWO, leased, never",
        "TWO, transactional, never",
        "OWN, leased, never",
        "OWN, leased-transactional, never"
    })
    @DisplayName("S14: a RocketMQ handler that is running while the application closes is recorded as done")
    void rocketMq(String pools, String mode, String sqlInit) throws Exception {
        Class<?> app = pools.equals("BOOTS") ? BootsPool.class : pools.equals("TWO") ? TwoPools.class : OwnStore.class;
        Run run = new Run();
        List<String> settings = settings(sqlInit);
        settings.add("--dedup.topics.orders.id=property:order-id");
        settings.add("--dedup.topics.orders.mode=" + mode);
        settings.add("--dedup.listeners.billing.consumer-group=billing");
        if (app == TwoPools.class) {
            settings.add("--dedup.jdbc.data-source=records");
            settings.add("--dedup.jdbc.transaction-manager=recordTransactions");
        }
        ConfigurableApplicationContext context = start(app, run, settings);
        MessageListener listener = context.getBean("billing", MessageListener.class);
        CompletableFuture<ConsumeResult> answer =
                CompletableFuture.supplyAsync(() -> listener.consume(PlayedMessage.of("orders", "a")));

        StoredRecord record = closeWhile(context, run, "orders", settings);

        assertThat(answer.get(LIMIT.toSeconds(), TimeUnit.SECONDS)).isEqualTo(ConsumeResult.SUCCESS);
        assertThat(run.events).containsExactlyInAnyOrder("handled", "completed");
        assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
    }

    @ParameterizedTest
    @CsvSource({
        "leased, embedded, false",
        "leased, never, false",
        "leased, never, true",
        "transactional, embedded, false",
        "transactional, never, false",
        "transactional, never, true",
        "leased-transactional, never, false"
    })
    @DisplayName("S14: a Kafka handler that outlives its shutdown phase is recorded as done")
    void kafka(String mode, String sqlInit, boolean batch) throws Exception {
        String topic = "close-" + UUID.randomUUID().toString().substring(0, 8);
        KafkaServers.shared().createTopic(topic, 1, Map.of());
        Run run = new Run();
        List<String> settings = settings(sqlInit);
        settings.addAll(List.of(
                "--topic=" + topic,
                "--batch=" + batch,
                "--spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers(),
                "--spring.kafka.consumer.auto-offset-reset=earliest",
                "--spring.lifecycle.timeout-per-shutdown-phase=200ms",
                "--dedup.topics." + topic + ".id=key",
                "--dedup.topics." + topic + ".mode=" + mode));
        ConfigurableApplicationContext context = start(Kafka.class, run, settings);
        send(context, topic);

        StoredRecord record = closeWhile(context, run, topic, settings);

        assertThat(run.events).containsExactlyInAnyOrder("handled", "completed");
        assertThat(record.state()).isEqualTo(StoredRecord.State.DONE);
    }

    @SuppressWarnings("unchecked")
    private static void send(ConfigurableApplicationContext context, String topic) throws Exception {
        KafkaTemplate<String, String> template = context.getBean(KafkaTemplate.class);
        template.send(topic, "a", "value").get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private static List<String> settings(String sqlInit) {
        return new ArrayList<>(List.of(
                "--spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                "--spring.datasource.username=sa",
                "--spring.sql.init.mode=" + sqlInit,
                "--dedup.store=jdbc",
                "--dedup.checks.broker=false"));
    }

    private static ConfigurableApplicationContext start(Class<?> app, Run run, List<String> settings) {
        SpringApplication application = new SpringApplication(app);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.addInitializers(context -> context.getBeanFactory().registerSingleton("run", run));
        return application.run(settings.toArray(String[]::new));
    }

    /** Closes the application while its handler runs, ends the handler when the deduplicator is closed, and reads the record. */
    private static StoredRecord closeWhile(
            ConfigurableApplicationContext context, Run run, String topic, List<String> settings) throws Exception {
        assertThat(run.started.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        Deduplicator deduplicator = context.getBean(DeduplicatorRegistry.class)
                .deduplicators()
                .get(0)
                .deduplicator();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(context::close);
        try {
            await().until(() -> deduplicator.execute(deduplicator.key(topic, PROBE), unused -> "")
                    instanceof DedupOutcome.Deferred);
            assertThat(closing).isNotDone();
        } finally {
            run.release.countDown();
        }
        closing.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
        String url = settings.get(0).substring("--spring.datasource.url=".length());
        try (JdbcDedupStore store = JdbcDedupStore.builder(new DriverManagerDataSource(url, "sa", ""))
                .build()) {
            return store.find(deduplicator.key(topic, "a")).orElseThrow();
        }
    }
}
