package io.dedup.examples.plan;

// docs:begin
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.plan.FaultPlan;
import io.dedup.testkit.plan.FaultRun;
import io.dedup.testkit.spring.KafkaReplays;
import io.dedup.testkit.spring.WithReplays;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Tag;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest(classes = TransactionalBookings.class, properties = "spring.kafka.listener.auto-startup=false")
@WithReplays
@Tag("long")
class TransactionalBookingsTest {
    private static final Bookings BOOKINGS = new Bookings();

    @Autowired
    private KafkaReplays kafka;

    @Autowired
    private JdbcTemplate jdbc;

    @DynamicPropertySource
    static void servers(DynamicPropertyRegistry registry) {
        BOOKINGS.properties().forEach((name, value) -> registry.add(name, () -> value));
    }

    @FaultPlan(seed = 7, messages = 300, times = 1)
    void eachPaymentIsBookedOnce(FaultRun run) {
        run.application(TransactionalBookings.class, BOOKINGS.arguments())
                .store("localhost", BOOKINGS.databasePort(), BOOKINGS::database)
                .traffic(kafka.traffic("bookings") // the id of the @KafkaListener
                        .ids(KafkaMessageIds.key())
                        .records(n -> new ProducerRecord<>("payments", "t-" + n, "t-" + n))
                        .build())
                .effects(() -> jdbc.queryForList("SELECT payment FROM booking", String.class))
                .play()
                .assertThat()
                .handledOncePerId();
    }
}
// docs:end
