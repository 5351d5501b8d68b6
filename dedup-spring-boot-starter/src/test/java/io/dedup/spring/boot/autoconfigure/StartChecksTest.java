package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.spring.boot.Logs;
import io.dedup.testservers.kafka.KafkaServers;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.kafka.listener.adapter.RecordFilterStrategy;

class StartChecksTest {
    private static final String TOPIC = "checks-" + UUID.randomUUID();

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
            .withUserConfiguration(Listener.class)
            .withPropertyValues(
                    "topic=" + TOPIC,
                    "dedup.store=memory",
                    "spring.kafka.listener.auto-startup=false",
                    "dedup.topics.orders.topic=" + TOPIC,
                    "dedup.topics.orders.id=key");

    @Configuration(proxyBeanMethods = false)
    static class Listener {
        @KafkaListener(id = "billing", topics = "${topic}")
        void orders(String order) {}

        @Bean
        DefaultErrorHandler errorHandler() {
            return new DefaultErrorHandler((record, e) -> {});
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class BootsErrorHandler {
        @KafkaListener(id = "billing", topics = "${topic}")
        void orders(String order) {}
    }

    record Order(String id) {}

    public static final class OrderDeserializer implements Deserializer<Order> {
        @Override
        public Order deserialize(String topic, byte[] bytes) {
            return new Order("o");
        }
    }

    private ApplicationContextRunner onBroker() {
        return runner.withPropertyValues(
                "spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers());
    }

    @Test
    void aWindowShorterThanTheRetentionIsWarnedOf() {
        KafkaServers.shared().createTopic(TOPIC, 1, Map.of("retention.ms", "691300000"));
        try (Logs logs = new Logs()) {
            onBroker().run(context -> {
                assertThat(context).hasNotFailed();
                await().untilAsserted(() -> assertThat(logs.warnings())
                        .anySatisfy(line -> assertThat(line)
                                .contains("for 192h 1m 40s, but its window is 7d")
                                .contains(".window to at least 193h")));
            });
            assertThat(logs.messages()).anySatisfy(line -> assertThat(line).contains("Deduplicated listeners:"));
        }
        onBroker()
                .withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("its window is 7d"));
        try (Logs logs = new Logs()) {
            onBroker()
                    .withPropertyValues("dedup.strict=true", "dedup.topics.orders.window=193h")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings()).isEmpty();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FilterBeans {
        static final class AlreadySeenFilter implements RecordFilterStrategy<String, String> {
            @Override
            public boolean filter(ConsumerRecord<String, String> record) {
                return false;
            }
        }

        @Bean
        RecordFilterStrategy<String, String> duplicates() {
            return record -> false;
        }

        @Bean
        AlreadySeenFilter seen() {
            return new AlreadySeenFilter();
        }

        @Bean
        RecordFilterStrategy<String, String> otherTenants() {
            return record -> false;
        }
    }

    @Test
    void aFilterThatSeemsToDropDuplicatesIsWarnedOf() {
        ApplicationContextRunner filtered =
                runner.withPropertyValues("dedup.checks.broker=false").withUserConfiguration(FilterBeans.class);
        try (Logs logs = new Logs()) {
            filtered.run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .filteredOn(line -> line.contains("RecordFilterStrategy"))
                    .satisfiesExactly(
                            line -> assertThat(line)
                                    .contains("RecordFilterStrategy duplicates seems to", "rename the bean."),
                            line -> assertThat(line)
                                    .contains("RecordFilterStrategy seen seems to", "bean and its class."));
        }
        filtered.withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("RecordFilterStrategy duplicates seems to drop duplicates"));
    }

    @Test
    void theTableOfListenersEscapesNames() {
        try (Logs logs = new Logs()) {
            runner.withPropertyValues(
                            "dedup.checks.broker=false", "dedup.listeners.billing.consumer=pay\u00ad\u202ements")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.messages())
                    .anySatisfy(line ->
                            assertThat(line).contains("Deduplicated listeners:").contains("pay\\u00ad\\u202ements"));
        }
    }

    @Test
    @DisplayName(
            "S13: a pool that is too small for the listeners' concurrency is warned of; one that is large enough isn't")
    void aPoolTooSmallForTheConcurrencyIsWarnedOf() {
        ApplicationContextRunner onTable = runner.withConfiguration(
                        AutoConfigurations.of(DataSourceAutoConfiguration.class))
                .withPropertyValues(
                        "dedup.store=jdbc",
                        "dedup.checks.broker=false",
                        "spring.datasource.generate-unique-name=true",
                        "spring.kafka.listener.concurrency=4");
        try (Logs logs = new Logs()) {
            onTable.withPropertyValues("spring.datasource.hikari.maximum-pool-size=9")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line)
                            .contains("at most 9 connections, but 4 consumer threads need at least 10")
                            .contains("spring.datasource.hikari.maximum-pool-size"));
        }
        try (Logs logs = new Logs()) {
            onTable.withPropertyValues("spring.datasource.hikari.maximum-pool-size=10")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings()).noneSatisfy(line -> assertThat(line).contains("connections"));
        }
    }

    @Test
    @DisplayName("Kafka's default retention isn't longer than the default window: nothing to warn of")
    void theDefaultsFitTogether() {
        String topic = "defaults-" + TOPIC;
        KafkaServers.shared().createTopic(topic, 1, Map.of("retention.ms", "604800000"));
        try (Logs logs = new Logs()) {
            onBroker()
                    .withPropertyValues("topic=" + topic, "dedup.topics.orders.topic=" + topic, "dedup.strict=true")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings()).isEmpty();
        }
    }

    @Test
    void aBrokerThatDoesNotAnswerHoldsNobodyUp() {
        ApplicationContextRunner silent = runner.withPropertyValues("spring.kafka.bootstrap-servers=localhost:1");
        silent.withPropertyValues("dedup.checks.broker-timeout=2m").run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(checks()).as("still waits").isNotEmpty();
        });
        await().untilAsserted(() -> assertThat(checks()).isEmpty());
        silent.withPropertyValues("dedup.checks.broker-timeout=200ms", "dedup.strict=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** The threads of checks that wait. */
    private static List<Thread> checks() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("dedup-start-checks"))
                .toList();
    }

    @Test
    void whatTheKafkaModuleWarnsOfFailsAStrictStart() {
        ApplicationContextRunner longHandlers = runner.withPropertyValues(
                "dedup.checks.broker=false",
                "dedup.topics.orders.max-processing-time=30m",
                "spring.kafka.consumer.max-poll-interval=10m");
        longHandlers.run(context -> assertThat(context).hasNotFailed());
        longHandlers
                .withPropertyValues("dedup.strict=true")
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("topic " + TOPIC
                                + ": dedup.topics.orders.max-processing-time (30m) is longer than"
                                + " spring.kafka.consumer.max-poll-interval (10m)"));
    }

    @Test
    @DisplayName("Boot's error handler only logs what is rejected: a warning, and with dedup.strict refused")
    void rejectedMessagesNeedAPlace() {
        ApplicationContextRunner boots = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
                .withUserConfiguration(BootsErrorHandler.class)
                .withPropertyValues(
                        "topic=" + TOPIC,
                        "dedup.store=memory",
                        "dedup.checks.broker=false",
                        "spring.kafka.listener.auto-startup=false",
                        "dedup.topics.orders.topic=" + TOPIC,
                        "dedup.topics.orders.id=key");
        boots.run(context -> assertThat(context).hasNotFailed());
        boots.withPropertyValues("dedup.strict=true")
                .run(
                        context -> assertThat(
                                        analysis(context.getStartupFailure()).getDescription())
                                .contains(
                                        "topic " + TOPIC
                                                + ": dedup.topics.orders.on-missing-id is fail, but its DefaultErrorHandler has no"
                                                + " recoverer: a rejected message, and one whose handler fails for good, is logged and gone"));
        boots.withPropertyValues("dedup.strict=true", "dedup.topics.orders.on-missing-id=process")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @ParameterizedTest
    @DisplayName("json: finds nothing in objects")
    @ValueSource(
            strings = {
                "spring.kafka.consumer.value-deserializer=io.dedup.spring.boot.autoconfigure.StartChecksTest$OrderDeserializer",
                "spring.kafka.consumer.value-deserializer=org.springframework.kafka.support.serializer.JsonDeserializer",
                "spring.kafka.consumer.value-deserializer=org.apache.kafka.common.serialization.LongDeserializer"
            })
    void jsonOfObjects(String deserializer) {
        ApplicationContextRunner json = runner.withPropertyValues("dedup.checks.broker=false");
        json.withPropertyValues("dedup.topics.orders.id=json:/id", deserializer).run(context -> {
            var analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .contains("dedup.topics.orders.id reads JSON, but the values of listener billing are objects of ");
            assertThat(analysis.getAction()).contains("spel:");
        });
        json.withPropertyValues(
                        "dedup.topics.orders.id=json:/id",
                        "spring.kafka.consumer.value-deserializer=org.springframework.kafka.support.serializer.ErrorHandlingDeserializer",
                        deserializer.replace(
                                "spring.kafka.consumer.value-deserializer",
                                "spring.kafka.consumer.properties[spring.deserializer.value.delegate.class]"))
                .run(context -> assertThat(context).hasFailed());
        json.withPropertyValues("dedup.topics.orders.id=key", deserializer)
                .run(context -> assertThat(context).hasNotFailed());
        json.withPropertyValues(
                        "dedup.topics.orders.id=json:/id",
                        "spring.kafka.consumer.value-deserializer=org.springframework.kafka.support.serializer.ErrorHandlingDeserializer",
                        "spring.kafka.consumer.properties[spring.deserializer.value.delegate.class]=org.apache.kafka.common.serialization.BytesDeserializer")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Configuration(proxyBeanMethods = false)
    static class ByPattern {
        @KafkaListener(id = "billing", topicPattern = "checks-.*")
        void orders(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnDeserializer {
        @KafkaListener(id = "billing", topics = "${topic}", properties = "value.deserializer=${own}")
        void orders(String order) {}
    }

    private static final String OBJECTS = "org.apache.kafka.common.serialization.LongDeserializer";
    private static final String TEXT = "org.apache.kafka.common.serialization.StringDeserializer";

    private static ApplicationContextRunner jsonOf(Class<?> listener) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
                .withUserConfiguration(listener)
                .withPropertyValues(
                        "topic=" + TOPIC,
                        "dedup.store=memory",
                        "dedup.checks.broker=false",
                        "spring.kafka.listener.auto-startup=false",
                        "dedup.defaults.id=json:/id",
                        "dedup.topics.all.pattern=checks-.*",
                        "dedup.topics.all.window=1d");
    }

    @Test
    @DisplayName("json: finds nothing in objects of topics that a listener finds by its pattern")
    void jsonOfObjectsByPattern() {
        jsonOf(ByPattern.class)
                .withPropertyValues("spring.kafka.consumer.value-deserializer=" + OBJECTS)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("the values of listener billing are objects of " + OBJECTS));
        jsonOf(ByPattern.class).run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("json: finds nothing in objects of a listener's own deserializer")
    void jsonOfOwnObjects() {
        jsonOf(OwnDeserializer.class)
                .withPropertyValues("own=" + OBJECTS)
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("the values of listener billing are objects of " + OBJECTS));
    }

    @Test
    @DisplayName("json: may read the text of a listener's own deserializer, whatever that of its factory makes")
    void jsonOfOwnText() {
        jsonOf(OwnDeserializer.class)
                .withPropertyValues("own=" + TEXT, "spring.kafka.consumer.value-deserializer=" + OBJECTS)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whatTheKafkaModuleRefusesIsReportedBeforeAnythingStarts() {
        runner.withPropertyValues("dedup.checks.broker=false", "spring.kafka.consumer.enable-auto-commit=true")
                .run(context -> {
                    var analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("Cannot deduplicate listener container billing:"
                                    + " spring.kafka.consumer.enable-auto-commit is true");
                    assertThat(analysis.getAction()).contains("dedup.listeners.billing.enabled: false");
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class ClaimSizes {
        private final List<Integer> keys = new CopyOnWriteArrayList<>();
        private final AtomicInteger handled = new AtomicInteger();

        @Bean
        DedupListener claimSizes() {
            return new DedupListener() {
                @Override
                public void storeCalled(String operation, int keysOfCall, Duration took) {
                    if (operation.equals("claim")) {
                        keys.add(keysOfCall);
                    }
                }

                @Override
                public void completed(DedupKey key, Duration handlerTime) {
                    handled.incrementAndGet();
                }
            };
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void claimingAheadCanBeSwitchedOff(boolean claimAhead) throws Exception {
        String topic = "ahead-" + UUID.randomUUID();
        KafkaServers.shared().createTopic(topic, 1, Map.of());
        try (var producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", (Object) KafkaServers.shared().bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (String key : List.of("a", "b", "c")) {
                producer.send(new ProducerRecord<>(topic, key, key)).get();
            }
        }
        onBroker()
                .withUserConfiguration(ClaimSizes.class)
                .withPropertyValues(
                        "topic=" + topic,
                        "dedup.topics.orders.topic=" + topic,
                        "dedup.checks.broker=false",
                        "dedup.kafka.claim-ahead=" + claimAhead,
                        "spring.kafka.listener.auto-startup=true",
                        "spring.kafka.consumer.auto-offset-reset=earliest")
                .run(context -> {
                    ClaimSizes sizes = context.getBean(ClaimSizes.class);
                    await().until(() -> sizes.handled.get() == 3);
                    if (claimAhead) {
                        assertThat(sizes.keys).containsExactly(3);
                    } else {
                        assertThat(sizes.keys).containsExactly(1, 1, 1);
                    }
                });
    }
}
