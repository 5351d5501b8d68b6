package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatedListener;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaHandler;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.annotation.PartitionOffset;
import org.springframework.kafka.annotation.TopicPartition;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/**
 * Listeners that would take each other's messages for duplicates, or their own of another start, without anybody's wish; and annotations
 * that would have no effect.
 */
class ChanceMeetingsTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    AopAutoConfiguration.class,
                    KafkaAutoConfiguration.class,
                    DedupAutoConfiguration.class,
                    DedupMethodAutoConfiguration.class,
                    KafkaDedupAutoConfiguration.class))
            .withPropertyValues(
                    "dedup.store=memory",
                    "spring.kafka.listener.auto-startup=false",
                    "dedup.checks.broker=false",
                    "dedup.topics.orders.id=key");

    @Configuration(proxyBeanMethods = false)
    static class Cache {
        @KafkaListener(
                id = "cache",
                topicPartitions =
                        @TopicPartition(
                                topic = "orders",
                                partitions = "0-2",
                                partitionOffsets = @PartitionOffset(partition = "*", initialOffset = "0")))
        void read(String order) {}
    }

    @Test
    @DisplayName(
            "a listener that assigns partitions itself, to read all of them at each start, isn't deduplicated by its topic's entry")
    void assigned() {
        ApplicationContextRunner cache = runner.withUserConfiguration(Cache.class);
        cache.run(context -> assertThat(refusal(context))
                .contains("Listener cache assigns partitions of [orders] itself")
                .contains("dedup.listeners.cache.enabled: false"));
        cache.withPropertyValues("dedup.listeners.cache.enabled=false")
                .run(context -> assertThat(listeners(context)).isEmpty());
        cache.withPropertyValues("dedup.listeners.cache.consumer=once")
                .run(context -> assertThat(listeners(context))
                        .singleElement()
                        .satisfies(
                                each -> assertThat(each.listener().consumer()).isEqualTo("once")));
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoClusters {
        @Bean
        static ConcurrentKafkaListenerContainerFactory<String, String> us() {
            ConcurrentKafkaListenerContainerFactory<String, String> factory =
                    new ConcurrentKafkaListenerContainerFactory<>();
            factory.setConsumerFactory(new DefaultKafkaConsumerFactory<>(
                    Map.of("bootstrap.servers", List.of("us-2:9092", "us-1:9092")),
                    new StringDeserializer(),
                    new StringDeserializer()));
            factory.setAutoStartup(false);
            return factory;
        }

        @KafkaListener(id = "eu", groupId = "billing", topics = "orders")
        void eu(String order) {}

        @KafkaListener(id = "us", groupId = "billing", topics = "orders", containerFactory = "us")
        void us(String order) {}
    }

    @Test
    @DisplayName(
            "a topic of the same name on another cluster: its IDs are other ones, unless both listeners name the same consumer")
    void clusters() {
        ApplicationContextRunner both = runner.withUserConfiguration(TwoClusters.class)
                .withPropertyValues("spring.kafka.bootstrap-servers=eu:9092");
        both.run(context -> assertThat(refusal(context))
                .contains("(Kafka at eu:9092, group billing)")
                .contains("(Kafka at us-1:9092,us-2:9092, group billing)")
                .contains("read the same topics under the consumer name billing")
                .containsPattern(
                        "set both dedup.listeners.(eu|us).consumer and dedup.listeners.(eu|us).consumer to billing"));
        both.withPropertyValues("dedup.listeners.us.consumer=billing-us")
                .run(context -> assertThat(listeners(context)).hasSize(2));
        both.withPropertyValues("dedup.listeners.us.consumer=billing", "dedup.listeners.eu.consumer=billing")
                .run(context -> assertThat(listeners(context)).hasSize(2));
        both.withPropertyValues("spring.kafka.bootstrap-servers=us-1:9092, us-2:9092")
                .run(context -> assertThat(listeners(context)).as("one cluster").hasSize(2));
    }

    @Configuration(proxyBeanMethods = false)
    static class OneGroup {
        @KafkaListener(id = "one", groupId = "billing", topics = "orders")
        void one(String order) {}

        @KafkaListener(id = "two", groupId = "billing", topics = "orders")
        void two(String order) {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"shadow=true", "fingerprint=true"})
    @DisplayName(
            "two listeners of one group, between which partitions move, have the same settings where records depend on them")
    void differentSettings(String setting) {
        runner.withUserConfiguration(OneGroup.class)
                .withPropertyValues("dedup.listeners.one." + setting)
                .run(context -> assertThat(refusal(context))
                        .contains("under the consumer name billing, but with different settings"));
    }

    /** A bean whose method a listener on the same topic might call. */
    static class Stock {
        @Deduplicated(topic = "orders", consumer = "shop", id = "#order")
        public void reserve(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class MethodAndListener {
        @Bean
        Stock stock() {
            return new Stock();
        }

        @KafkaListener(id = "shop", topics = "orders")
        void read(String order) {}
    }

    @Test
    @DisplayName(
            "a method and a listener share no records, also if both name the same consumer: one may call the other")
    void method() {
        runner.withUserConfiguration(MethodAndListener.class)
                .withPropertyValues("dedup.listeners.shop.consumer=shop")
                .run(context -> assertThat(refusal(context))
                        .contains("read the same topics under the consumer name shop")
                        .doesNotContain("set both"));
    }

    abstract static class Inherited {
        @KafkaListener(id = "inherited", topics = "refunds")
        void read(String refund) {}
    }

    @Deduplicated(id = "header:refund-id")
    static class Refunds extends Inherited {}

    @Configuration(proxyBeanMethods = false)
    static class InheritedMethod {
        @Bean
        Refunds refunds() {
            return new Refunds();
        }
    }

    @Test
    @DisplayName("an annotation of the bean's class counts for a listener's method that it inherits")
    void inherited() {
        runner.withUserConfiguration(InheritedMethod.class)
                .withPropertyValues("dedup.checks.refuse-unused=false")
                .run(context -> assertThat(listeners(context))
                        .singleElement()
                        .satisfies(each -> assertThat(
                                        each.listener().byTopic().get("refunds").id())
                                .hasToString("header:refund-id")));
    }

    @KafkaListener(id = "several", topics = "refunds")
    static class Several {
        @Deduplicated(id = "header:refund-id")
        @KafkaHandler
        void read(String refund) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OneOfSeveral {
        @Bean
        Several several() {
            return new Several();
        }
    }

    @Test
    @DisplayName("an annotation of a @KafkaHandler, which nothing reads, is refused")
    void handler() {
        runner.withUserConfiguration(OneOfSeveral.class)
                .withPropertyValues("dedup.checks.refuse-unused=false")
                .run(context -> assertThat(refusal(context))
                        .contains("is a @KafkaHandler")
                        .contains("Annotate the class"));
    }

    private static List<DeduplicatedListener> listeners(AssertableApplicationContext context) {
        assertThat(context).hasNotFailed();
        return context.getBean(DeduplicatorRegistry.class).listeners();
    }

    private static String refusal(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return Refusals.of(() -> {
            throw context.getStartupFailure();
        });
    }
}
