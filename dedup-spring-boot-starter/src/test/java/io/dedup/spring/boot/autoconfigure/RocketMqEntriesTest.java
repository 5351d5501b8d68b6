package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import io.dedup.spring.boot.Logs;
import io.dedup.spring.boot.internal.rocketmq.PerTopicMessageListener;
import java.util.Map;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Entries of message listener beans whose consumers aren't beans: no broker is asked. */
class RocketMqEntriesTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DedupAutoConfiguration.class, RocketMqDedupAutoConfiguration.class))
            .withPropertyValues("dedup.store=memory", "dedup.strict=true", "dedup.topics.orders.id=property:order-id");

    @Configuration(proxyBeanMethods = false)
    static class Listener {
        @Bean
        MessageListener billingListener() {
            return message -> ConsumeResult.SUCCESS;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class AnnotatedListener {
        @Bean
        @Deduplicated(consumerGroup = "billing")
        MessageListener billingListener() {
            return message -> ConsumeResult.SUCCESS;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dedup.listeners.billingListener.consumer-group",
                "dedup.listeners.billingListener.consumerGroup",
                "dedup.listeners.[billingListener].consumerGroup",
                "dedup.listeners[billingListener].consumer-group"
            })
    @DisplayName("a group counts however its property is written")
    void relaxed(String property) {
        runner.withUserConfiguration(Listener.class)
                .withPropertyValues(property + "=billing")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .getBean("billingListener")
                        .isInstanceOf(PerTopicMessageListener.class));
    }

    @Test
    @DisplayName("an entry of a listener that isn't there is warned of, and refused where another is certainly meant")
    void wrongName() {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(Listener.class)
                    .withPropertyValues(
                            "dedup.strict=false",
                            "dedup.checks.refuse-unused=false",
                            "dedup.listeners.shipping.consumer-group=billing")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(logs.warnings())
                    .anySatisfy(line -> assertThat(line)
                            .contains("dedup.listeners.shipping is set, but there is no listener shipping")
                            .contains("billingListener"));
        }
        runner.withUserConfiguration(Listener.class)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                "systemEnvironment",
                                Map.of("DEDUP_LISTENERS_BILLINGLISTENER_CONSUMERGROUP", "billing"))))
                .run(context -> assertThat(analysis(context.getStartupFailure()).getDescription())
                        .contains("There is a listener billingListener"));
    }

    @Test
    @DisplayName("a topic that only such a listener may read isn't taken for unused")
    void topicsComeLater() {
        try (Logs logs = new Logs()) {
            runner.withUserConfiguration(AnnotatedListener.class)
                    .run(context -> assertThat(context)
                            .hasNotFailed()
                            .getBean("billingListener")
                            .isInstanceOf(PerTopicMessageListener.class));
            assertThat(logs.warnings()).isEmpty();
        }
    }
}
