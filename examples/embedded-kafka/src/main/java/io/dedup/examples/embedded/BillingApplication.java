package io.dedup.examples.embedded;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;

/** Bills orders. Its table has no unique key, which would hide what is doubled. */
@SpringBootApplication(proxyBeanMethods = false)
class BillingApplication {
    private final JdbcTemplate jdbc;

    BillingApplication(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
        jdbc.execute("CREATE TABLE IF NOT EXISTS invoice (order_id varchar(100))");
    }

    @KafkaListener(id = "billing", topics = "orders")
    void bill(String order) {
        jdbc.update("INSERT INTO invoice VALUES (?)", order);
    }

    public static void main(String[] arguments) {
        SpringApplication.run(BillingApplication.class, arguments);
    }
}
