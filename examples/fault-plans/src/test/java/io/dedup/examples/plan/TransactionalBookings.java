package io.dedup.examples.plan;

import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.PropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;

@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@PropertySource("classpath:bookings.properties")
class TransactionalBookings {
    private final JdbcTemplate jdbc;

    TransactionalBookings(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    // docs:begin listener
    @KafkaListener(id = "bookings", topics = "payments")
    void book(String payment) {
        PaymentProvider.check(payment); // takes 50 ms
        jdbc.update("INSERT INTO booking VALUES (?)", payment);
    }
    // docs:end

    @Bean
    NewTopic payments() {
        return new NewTopic("payments", 4, (short) 1);
    }

    public static void main(String[] args) {
        new SpringApplicationBuilder(TransactionalBookings.class)
                .web(WebApplicationType.NONE)
                .run(args);
    }
}
