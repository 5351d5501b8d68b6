package io.dedup.examples.boot;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** Bills orders. Nothing in it knows of deduplication: that is in {@code application.yml}. */
@SpringBootApplication(proxyBeanMethods = false)
public class BillingApplication {
    private final JdbcTemplate jdbc;

    BillingApplication(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Without a dead-letter topic, spring-kafka logs a message that fails for good, and goes on without it. */
    @Bean
    static DefaultErrorHandler errorHandler(KafkaOperations<Object, Object> kafka) {
        return new DefaultErrorHandler(new DeadLetterPublishingRecoverer(kafka), new FixedBackOff(1_000, 3));
    }

    /** Brokers of production don't create topics by themselves. */
    @Bean
    static NewTopic deadLetters() {
        return TopicBuilder.name("orders-dlt").build();
    }

    /** Writes a bill. The table has no unique key: twice would be two rows. */
    @KafkaListener(topics = "orders")
    void bill(ConsumerRecord<String, String> order) {
        jdbc.update("INSERT INTO bill (customer, cents) VALUES (?, ?)", order.key(), Long.parseLong(order.value()));
    }
}
