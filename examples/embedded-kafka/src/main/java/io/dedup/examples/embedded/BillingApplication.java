package io.dedup.examples.embedded;

import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.util.backoff.FixedBackOff;

/** Bills orders. Its table has no unique key, which would hide what is doubled. */
@SpringBootApplication(proxyBeanMethods = false)
class BillingApplication {
    private final JdbcTemplate jdbc;

    BillingApplication(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        jdbc.execute("CREATE TABLE IF NOT EXISTS invoice (order_id varchar(100))");
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

    @KafkaListener(id = "billing", topics = "orders")
    void bill(String order) {
        jdbc.update("INSERT INTO invoice VALUES (?)", order);
    }

    public static void main(String[] arguments) {
        SpringApplication.run(BillingApplication.class, arguments);
    }
}
