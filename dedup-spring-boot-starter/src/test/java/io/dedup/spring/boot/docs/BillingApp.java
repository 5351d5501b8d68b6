package io.dedup.spring.boot.docs;

import io.dedup.testservers.kafka.KafkaServers;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistrar;

/** The application of the samples, on a real Kafka. RocketMQ's sample is compiled only: it would ask for its proxy at start. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({BillingListener.class, KafkaErrors.class})
class BillingApp {
    @Bean
    static DynamicPropertyRegistrar properties() {
        KafkaServers.shared().createTopic("orders", 1);
        return registry -> {
            registry.add(
                    "spring.kafka.bootstrap-servers",
                    () -> KafkaServers.shared().bootstrapServers());
            registry.add("spring.kafka.consumer.auto-offset-reset", () -> "earliest");
            registry.add("spring.datasource.generate-unique-name", () -> "true");
            registry.add("dedup.store", () -> "jdbc");
            registry.add("dedup.topics.orders.id", () -> "key");
            registry.add("dedup.topics.orders.window", () -> "7d");
        };
    }

    @Bean
    Invoices invoices(JdbcTemplate jdbc) {
        return new Invoices(jdbc);
    }
}
