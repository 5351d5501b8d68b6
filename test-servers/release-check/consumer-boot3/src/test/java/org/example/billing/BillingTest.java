package org.example.billing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** The listener skips a duplicate, on Spring Boot 3.5: with the starter, records in memory, and a consumer that needs no broker. */
class BillingTest {
    private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

    @Test
    void eachOrderIsBilledOnce() {
        SpringApplication application = new SpringApplication(BillingApplication.class, NoBroker.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(Map.of(
                "dedup.store", "memory",
                "dedup.topics.orders.id", "header:order-id",
                "dedup.topics.orders.window", "7d",
                "dedup.checks.broker", "false"));
        try (var context = application.run()) {
            BillingListener listener = context.getBean(BillingListener.class);
            NoBroker broker = context.getBean(NoBroker.class);

            await().untilAsserted(() -> assertThat(broker.committed()).isEqualTo(4));

            assertThat(listener.billed).containsExactly("order 1", "order 2");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class NoBroker {
        private final MockConsumer<Object, Object> consumer = new MockConsumer<>(OffsetResetStrategy.EARLIEST);

        @Bean
        ConsumerFactory<Object, Object> consumerFactory() {
            consumer.updateBeginningOffsets(Map.of(ORDERS, 0L));
            consumer.schedulePollTask(() -> {
                consumer.rebalance(List.of(ORDERS));
                consumer.addRecord(order(0, "1"));
                consumer.addRecord(order(1, "1"));
                consumer.addRecord(order(2, "2"));
                consumer.addRecord(order(3, "1"));
            });
            return new DefaultKafkaConsumerFactory<>(Map.of()) {
                @Override
                protected Consumer<Object, Object> createRawConsumer(Map<String, Object> settings) {
                    return consumer;
                }
            };
        }

        long committed() {
            var offset = consumer.committed(Set.of(ORDERS)).get(ORDERS);
            return offset == null ? 0 : offset.offset();
        }

        private static ConsumerRecord<Object, Object> order(long offset, String id) {
            var record = new ConsumerRecord<Object, Object>("orders", 0, offset, null, "order " + id);
            record.headers().add("order-id", id.getBytes(StandardCharsets.UTF_8));
            return record;
        }
    }
}
