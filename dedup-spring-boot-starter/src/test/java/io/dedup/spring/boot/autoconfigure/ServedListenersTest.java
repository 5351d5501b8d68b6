package io.dedup.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.PlayedMessage;
import io.dedup.spring.boot.internal.deduplicator.DeduplicatorRegistry;
import io.dedup.spring.boot.internal.kafka.KafkaListeners;
import org.apache.rocketmq.client.apis.consumer.ConsumeResult;
import org.apache.rocketmq.client.apis.consumer.MessageListener;
import org.apache.rocketmq.client.apis.message.MessageView;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** The starter's list of listeners doesn't grow with messages, nor with listeners that come and go. */
class ServedListenersTest {
    static class Billing implements MessageListener {
        @Override
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public ConsumeResult consume(MessageView message) {
            return ConsumeResult.SUCCESS;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnRocketMq {
        @Bean
        Billing billing() {
            return new Billing();
        }
    }

    @Test
    @DisplayName("messages of a RocketMQ topic that is refused leave nothing behind")
    void refusedTopic() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        DedupAutoConfiguration.class,
                        RocketMqDedupAutoConfiguration.class))
                .withUserConfiguration(OnRocketMq.class)
                .withPropertyValues(
                        "spring.datasource.generate-unique-name=true",
                        "dedup.store=jdbc",
                        "dedup.topics.orders.id=property:order-id",
                        "dedup.topics.orders.mode=transactional",
                        "dedup.topics.refunds.id=property:order-id",
                        "dedup.listeners.billing.consumer-group=billing")
                .run(context -> {
                    MessageListener listener = context.getBean("billing", MessageListener.class);
                    for (int i = 0; i < 5; i++) {
                        assertThat(listener.consume(PlayedMessage.of("orders", "a" + i)))
                                .isEqualTo(ConsumeResult.FAILURE);
                        assertThat(listener.consume(PlayedMessage.of("refunds", "a" + i)))
                                .isEqualTo(ConsumeResult.SUCCESS);
                    }
                    DeduplicatorRegistry registry = context.getBean(DeduplicatorRegistry.class);
                    assertThat(registry.listeners())
                            .singleElement()
                            .satisfies(served ->
                                    assertThat(served.listener().byTopic()).containsOnlyKeys("refunds"));
                    assertThat(registry.deduplicators()).hasSize(1);
                });
    }

    static class Orders {
        private static int made;

        private final String id = "orders-" + made++;

        public String getId() {
            return id;
        }

        @KafkaListener(id = "#{__listener.id}", topics = "orders", groupId = "billing")
        void orders(String order) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class OnKafka {
        @Bean
        @Scope("prototype")
        Orders orders() {
            return new Orders();
        }

        @KafkaListener(id = "stays", topics = "refunds")
        void refunds(String refund) {}
    }

    @Test
    @DisplayName("a Kafka container that is unregistered leaves nothing behind")
    void unregisteredContainer() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        KafkaAutoConfiguration.class, DedupAutoConfiguration.class, KafkaDedupAutoConfiguration.class))
                .withUserConfiguration(OnKafka.class)
                .withPropertyValues(
                        "spring.kafka.listener.auto-startup=false",
                        "dedup.store=memory",
                        "dedup.checks.broker=false",
                        "dedup.topics.refunds.id=key",
                        "dedup.topics.orders.id=key")
                .run(context -> {
                    KafkaListenerEndpointRegistry registry = context.getBean(KafkaListenerEndpointRegistry.class);
                    for (int i = 0; i < 5; i++) {
                        String id = context.getBean(Orders.class).getId();
                        assertThat(registry.getListenerContainer(id)).isNotNull();
                        registry.unregisterListenerContainer(id);
                    }
                    String last = context.getBean(Orders.class).getId();
                    assertThat(context.getBean(DeduplicatorRegistry.class).listeners())
                            .extracting(served -> served.listener().spec().name())
                            .containsExactly("stays", last);
                    assertThat(context.getBean(KafkaListeners.class).decorated())
                            .extracting(each -> each.container().getListenerId())
                            .containsExactly("stays", last);
                });
    }
}
