package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.PlayedMessage;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.FilterExpression;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.consumer.PushConsumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.DefaultErrorHandler;

/** Names in {@code dedup.topics} that no listener reads: most likely misspelt, and then a topic stays unguarded. */
class UnusedEntriesTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class,
                    DedupAutoConfiguration.class,
                    KafkaDedupAutoConfiguration.class,
                    RocketMqDedupAutoConfiguration.class))
            .withPropertyValues(
                    "dedup.store=memory", "spring.kafka.listener.auto-startup=false", "dedup.checks.broker=false");

    @Configuration(proxyBeanMethods = false)
    static class OnKafka {
        @KafkaListener(id = "billing", topics = "orders")
        void orders(String order) {}

        @KafkaListener(id = "audit", topicPattern = "audit-.*")
        void audit(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OnRocketMq {
        @Bean
        MessageListener shipping() {
            return message -> ConsumeResult.SUCCESS;
        }

        @Bean
        PushConsumer consumer() {
            return (PushConsumer) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {PushConsumer.class}, (proxy, method, args) -> {
                        return switch (method.getName()) {
                            case "getConsumerGroup" -> "shipping";
                            case "getSubscriptionExpressions" -> Map.of("parcels", FilterExpression.SUB_ALL);
                            case "hashCode" -> System.identityHashCode(proxy);
                            case "equals" -> proxy == args[0];
                            default -> null;
                        };
                    });
        }
    }

    /** Its consumer is nobody's bean, and its topics aren't known. */
    @Configuration(proxyBeanMethods = false)
    static class UnknownTopics {
        @Bean
        MessageListener receiving() {
            return message -> ConsumeResult.SUCCESS;
        }
    }

    @Test
    @DisplayName("a store without any entry, as with an inactive profile: warned of; strict refuses it")
    void nothingConfigured() {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(OnKafka.class)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .singleElement()
                    .asString()
                    .contains("dedup.store is set, but nothing is deduplicated")
                    .contains("Listeners subscribe to [/audit-.*/, orders]")
                    .contains("dedup.enabled: false");
        }
        runner.withUserConfiguration(OnKafka.class)
                .withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("nothing is deduplicated"));
    }

    @Test
    @DisplayName("an older RocketMQ client, such as another starter brings, is refused with its version")
    void oldRocketMqClient() {
        runner.withClassLoader(new FilteredClassLoader("org.apache.rocketmq.client.apis.consumer.LitePushConsumer"))
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("older than 5.2");
                    assertThat(analysis.getAction()).contains("dedup-bom").contains("rocketmq-client-java");
                });
    }

    @ParameterizedTest
    @CsvSource({"order,orders instead of order", "invoices,Correct the names under dedup.topics"})
    @DisplayName("an application of which nothing that is configured is deduplicated doesn't start")
    void refused(String topic, String advice) {
        runner.withUserConfiguration(OnKafka.class)
                .withPropertyValues("dedup.topics." + topic + ".id=key")
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("Nothing is deduplicated")
                            .contains("dedup.topics." + topic)
                            .contains("Listeners subscribe to [/audit-.*/, orders]");
                    assertThat(analysis.getAction()).contains(advice).contains("dedup.checks.refuse-unused: false");
                });
    }

    @Test
    @DisplayName("the same on RocketMQ, where a push consumer bean tells the topics")
    void refusedOnRocketMq() {
        runner.withUserConfiguration(OnRocketMq.class)
                .withPropertyValues(
                        "dedup.topics.parcel.id=property:id", "dedup.listeners.shipping.consumer-group=shipping")
                .run(context -> {
                    FailureAnalysis analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription()).contains("Listeners subscribe to [parcels]");
                    assertThat(analysis.getAction()).contains("parcels instead of parcel");
                });
    }

    @Test
    @DisplayName("dedup.checks.refuse-unused: false makes it a warning")
    void warning() {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(OnKafka.class)
                    .withPropertyValues("dedup.topics.order.id=key", "dedup.checks.refuse-unused=false")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line).contains("Nothing is deduplicated"))
                    .anySatisfy(line -> assertThat(line).contains("Did you mean orders?"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dedup.enabled=false,dedup.topics.order.id=key",
                "dedup.topics.order.id=key,dedup.topics.order.enabled=false",
                "dedup.topics.orders.id=key,dedup.topics.orders.enabled=false",
                "dedup.topics.orders.id=key,dedup.listeners.billing.enabled=false",
                "dedup.topics.all.pattern=.*,dedup.topics.all.id=key,dedup.listeners.billing.enabled=false,dedup.listeners.audit.enabled=false",
                "dedup.topics.audits.pattern=audit-.*,dedup.topics.audits.id=key,dedup.listeners.audit.enabled=false",
                "dedup.listeners.billing.enabled=false",
                "dedup.defaults.id=key"
            })
    @DisplayName("an application in which an entry is meant for a listener, or none asks for anything, starts")
    void notRefused(String properties) {
        runner.withUserConfiguration(OnKafka.class)
                .withPropertyValues(properties.split(","))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName(
            "an application starts without listeners, which may come later, and with one whose topics aren't known")
    void listenersComeLater() {
        runner.withPropertyValues("dedup.topics.orders.id=key")
                .run(context -> assertThat(context).hasNotFailed());
        runner.withUserConfiguration(UnknownTopics.class)
                .withPropertyValues(
                        "dedup.topics.letters.id=property:id", "dedup.listeners.receiving.consumer-group=receiving")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @ValueSource(classes = {OnKafka.class, OnRocketMq.class})
    @DisplayName("a misspelt topic is warned of although other listeners find topics by a pattern, or are RocketMQ's")
    void misspelt(Class<?> other) {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(OnKafka.class, other)
                    .withPropertyValues(
                            "dedup.topics.audits.pattern=audit-.*",
                            "dedup.topics.audits.id=key",
                            "dedup.topics.order.id=key",
                            "dedup.listeners.shipping.consumer-group=shipping",
                            "dedup.topics.parcels.id=property:id")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line)
                            .contains("dedup.topics.order is set, but no listener subscribes to topic order")
                            .contains("Did you mean orders?"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Named {
        @KafkaListener(id = "billing", topics = "orders")
        void orders(String order) {}

        @KafkaListener(id = "paying", topics = "payments.eu")
        void payments(String payment) {}

        @Bean
        DefaultErrorHandler errorHandler() {
            return new DefaultErrorHandler((record, e) -> {}); // a strict start wants a place for rejected messages
        }
    }

    @Test
    @DisplayName("a pattern that matches no topic is warned of, and with dedup.strict refused")
    void unusedPattern() {
        ApplicationContextRunner named = runner.withUserConfiguration(Named.class)
                .withPropertyValues(
                        "dedup.defaults.id=key",
                        "dedup.topics.orders.window=1d",
                        "dedup.topics.pay.pattern=payment\\..*",
                        "spring.kafka.consumer.max-poll-interval=20m");
        try (Logs logs = new Logs()) {
            named.run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(
                            line -> assertThat(line)
                                    .contains(
                                            "dedup.topics.pay is set, but no listener subscribes to a topic whose whole name matches"
                                                    + " its pattern payment\\..*. Listeners subscribe to [orders, payments.eu]"));
        }
        named.withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("dedup.topics.pay is set"));
        named.withPropertyValues("dedup.strict=true", "dedup.topics.pay.pattern=payments.e")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getAction())
                        .contains("Did you mean payments.eu?"));
        named.withPropertyValues("dedup.strict=true", "dedup.topics.pay.pattern=payments\\..*")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class Audit {
        @KafkaListener(id = "audit", topicPattern = "audit-.*")
        void audit(String order) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {Audit.class, UnknownTopics.class})
    @DisplayName("a pattern isn't warned of while topics that aren't known yet may match it")
    void patternThatMayApply(Class<?> other) {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(Named.class, other)
                    .withPropertyValues(
                            "dedup.defaults.id=key",
                            "dedup.topics.letters.pattern=letters.*",
                            "dedup.listeners.audit.enabled=false",
                            "dedup.listeners.receiving.consumer-group=receiving")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings()).noneSatisfy(line -> assertThat(line).contains("dedup.topics.letters is set"));
        }
    }

    @Test
    @DisplayName("beside a listener whose topics aren't known, a name is warned of that is much like a topic that is")
    void likeAKnownTopic() {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(OnKafka.class, UnknownTopics.class)
                    .withPropertyValues(
                            "dedup.topics.order.id=key",
                            "dedup.topics.letters.id=property:id",
                            "dedup.listeners.receiving.consumer-group=receiving")
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        context.getBean("receiving", MessageListener.class).consume(PlayedMessage.of("letter", "a"));
                    });
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line).contains("Did you mean orders?"))
                    .noneSatisfy(line -> assertThat(line).contains("subscribes to topic letters"))
                    .anySatisfy(line -> assertThat(line)
                            .contains(
                                    "topic letter is not deduplicated, but dedup.topics has a similar name, letters"));
        }
    }
}
