package io.dedup.spring.boot.autoconfigure;

import static io.dedup.spring.boot.autoconfigure.ConfigurationTest.analysis;
import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.memory.InMemoryDedupStore;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultShareConsumerFactory;

/** Containers of share groups, which spring-kafka has since 4.1. */
class ShareContainersTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
            .withPropertyValues("dedup.store=memory", "dedup.checks.broker=false", "dedup.topics.orders.id=key")
            .withUserConfiguration(Listener.class);

    @Configuration(proxyBeanMethods = false)
    static class Listener {
        @KafkaListener(id = "queue", topics = "orders", containerFactory = "queues", autoStartup = "false")
        void orders(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Plain {
        @Bean
        ShareKafkaListenerContainerFactory<String, String> queues() {
            return new ShareKafkaListenerContainerFactory<>(
                    new DefaultShareConsumerFactory<>(Map.of("bootstrap.servers", "localhost:1")));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InJava {
        @Bean
        ShareKafkaListenerContainerFactory<String, String> queues() {
            Deduplicator deduplicator = Deduplicators.builder(new InMemoryDedupStore())
                    .consumer("queue")
                    .build();
            return KafkaDedup.builder(deduplicator)
                    .id(KafkaMessageIds.key())
                    .build()
                    .shareGroups()
                    .containerFactory(new DefaultShareConsumerFactory<>(Map.of("bootstrap.servers", "localhost:1")));
        }
    }

    @Test
    @DisplayName("a share group's listener on a configured topic, which would run undecorated, is refused")
    void refused() {
        runner.withUserConfiguration(Plain.class).run(context -> {
            FailureAnalysis analysis = analysis(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("Listener queue").contains("share group");
            assertThat(analysis.getAction()).contains("shareGroups()").contains("dedup.listeners.queue.enabled: false");
        });
        runner.withUserConfiguration(Plain.class)
                .withPropertyValues("dedup.listeners.queue.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    @DisplayName("one that is deduplicated in Java isn't")
    void inJava() {
        runner.withUserConfiguration(InJava.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
