package io.dedup.examples.live;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/** Charges customers. The charge and the record of the message commit in one transaction, so a kill loses both or none. */
final class OrderListener extends ReplayableListener {
    private final JdbcTemplate jdbc;

    OrderListener(JdbcTemplate jdbc, OutcomePrinter printer) {
        super(Topics.ORDERS_WITH_DEDUP, printer);
        this.jdbc = jdbc;
    }

    // A static member of the group gets its partitions at once when it restarts, killed or not.
    @KafkaListener(
            id = "charges",
            idIsGroup = false,
            topics = Topics.ORDERS,
            properties = "group.instance.id=live-orders")
    void charge(ConsumerRecord<String, String> order, @Header(Topics.ID_HEADER) byte[] id) {
        Effects.write(jdbc, "charge", order, id);
    }
}
