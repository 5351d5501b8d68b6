package io.dedup.examples.boot;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;

/** Bills orders. Nothing in it knows of deduplication: that is in {@code application.yml}. */
@SpringBootApplication(proxyBeanMethods = false)
public class BillingApplication {
    private final JdbcTemplate jdbc;

    BillingApplication(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    /** Writes a bill. The table has no unique key: twice would be two rows. */
    @KafkaListener(topics = "orders")
    void bill(ConsumerRecord<String, String> order) {
        jdbc.update("INSERT INTO bill (customer, cents) VALUES (?, ?)", order.key(), Long.parseLong(order.value()));
    }
}
