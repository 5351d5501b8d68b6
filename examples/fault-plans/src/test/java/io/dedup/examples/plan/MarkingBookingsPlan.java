package io.dedup.examples.plan;

// docs:begin
import static io.dedup.testkit.plan.Fault.COPIES;
import static io.dedup.testkit.plan.Fault.KILL;

import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.testkit.kafka.KafkaTraffic;
import io.dedup.testkit.plan.FaultPlan;
import io.dedup.testkit.plan.FaultRun;
import org.apache.kafka.clients.producer.ProducerRecord;

class MarkingBookingsPlan {
    private final Bookings bookings = new Bookings(); // the Kafka and the database of the test

    @FaultPlan(
            seed = 7,
            messages = 300,
            faults = {KILL, COPIES})
    void eachPaymentIsBookedOnce(FaultRun run) {
        run.application(MarkingBookings.class, bookings.arguments())
                .store("localhost", bookings.databasePort(), bookings::database)
                .traffic(KafkaTraffic.of(bookings.bootstrapServers())
                        .group("bookings")
                        .ids(KafkaMessageIds.key())
                        .records(n -> new ProducerRecord<>("payments", "p-" + n, "p-" + n))
                        .build())
                .effects(() -> bookings.jdbc().queryForList("SELECT payment FROM booking", String.class))
                .play()
                .assertThat()
                .handledOncePerId();
    }
}
// docs:end
