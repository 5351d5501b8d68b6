package io.dedup.examples.live;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/** Bills. Its row and the record of the message are one transaction, so a kill loses both or none. */
final class OrderListener extends ReplayableListener {
    private final JdbcTemplate jdbc;

    OrderListener(JdbcTemplate jdbc, OutcomePrinter printer) {
        super(Topics.ORDERS, printer);
        this.jdbc = jdbc;
    }

    // A member of the group that comes back under its name gets its partitions at once, killed or not.
    @KafkaListener(
            id = "bills",
            idIsGroup = false,
            topics = Topics.ORDERS,
            properties = "group.instance.id=live-orders")
    void bill(ConsumerRecord<String, String> order, @Header(Topics.ID_HEADER) byte[] id) {
        Effects.write(jdbc, order, id);
    }
}
