package io.dedup.examples.plan;

// docs:begin
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;

@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class MarkingBookings {
    private final JdbcTemplate jdbc;

    MarkingBookings(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @KafkaListener(id = "bookings", topics = "payments")
    void book(String payment) {
        boolean isNew = jdbc.update("INSERT INTO seen VALUES (?) ON CONFLICT DO NOTHING", payment) == 1;
        if (isNew) {
            PaymentProvider.check(payment); // takes 50 ms
            jdbc.update("INSERT INTO booking VALUES (?)", payment);
        }
    }

    @Bean
    NewTopic payments() {
        return new NewTopic("payments", 4, (short) 1);
    }

    public static void main(String[] args) {
        new SpringApplicationBuilder(MarkingBookings.class)
                .web(WebApplicationType.NONE)
                .run(args);
    }
}
// docs:end
