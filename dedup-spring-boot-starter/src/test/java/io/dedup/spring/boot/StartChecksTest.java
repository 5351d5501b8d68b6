package io.dedup.spring.boot;

import static io.dedup.spring.boot.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.testservers.KafkaServers;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.core.ConsumerFactory;

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
    }

    private ApplicationContextRunner onBroker() {
        return runner.withPropertyValues(
                "spring.kafka.bootstrap-servers=" + KafkaServers.shared().bootstrapServers());
    }

    @Test
    void aWindowShorterThanTheRetentionIsWarnedOf() {
        KafkaServers.shared().createTopic(TOPIC, 1, Map.of("retention.ms", "691300000"));
        try (Logs logs = new Logs()) {
            onBroker().run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line)
                            .contains("is kept for 192h 1m 40s, and its window is 7d")
                            .contains(".window to at least 193h"));
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
        runner.withPropertyValues("spring.kafka.bootstrap-servers=localhost:1", "dedup.checks.broker-timeout=200ms")
                .run(context -> assertThat(context).hasNotFailed());
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
    void whatTheKafkaModuleRefusesIsReportedBeforeAnythingStarts() {
        runner.withPropertyValues("dedup.checks.broker=false", "spring.kafka.consumer.enable-auto-commit=true")
                .run(context -> {
                    var analysis = analysis(context.getStartupFailure());
                    assertThat(analysis.getDescription())
                            .contains("listener container billing can't be deduplicated:"
                                    + " spring.kafka.consumer.enable-auto-commit is true");
                    assertThat(analysis.getAction()).contains("dedup.listeners.billing.enabled: false");
                });
    }

    private static int postProcessors(ApplicationContext context) {
        ConsumerFactory<?, ?> factory = context.getBean(ConsumerFactory.class);
        return factory.getPostProcessors().size();
    }

    @Test
    void claimingAheadCanBeSwitchedOff() {
        ApplicationContextRunner quiet = runner.withPropertyValues("dedup.checks.broker=false");
        quiet.run(context -> assertThat(postProcessors(context)).isEqualTo(1));
        quiet.withPropertyValues("dedup.kafka.claim-ahead=false")
                .run(context -> assertThat(postProcessors(context)).isZero());
    }
}
