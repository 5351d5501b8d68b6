package io.dedup.examples.live;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/**
 * Does the same as {@link OrderListener} with the same messages, in a consumer group and a table of its own.
 * {@code consumer.yml} turns dedup off for it, so each copy of a message is a charge.
 */
final class PlainOrderListener extends ReplayableListener {
    private final JdbcTemplate jdbc;

    PlainOrderListener(JdbcTemplate jdbc, OutcomePrinter printer) {
        super(Topics.ORDERS_WITHOUT_DEDUP, printer);
        this.jdbc = jdbc;
    }

    @KafkaListener(
            id = "charges-without-dedup",
            groupId = Topics.PLAIN_GROUP,
            topics = Topics.ORDERS,
            properties = "group.instance.id=live-orders-without-dedup")
    void charge(ConsumerRecord<String, String> order, @Header(Topics.ID_HEADER) byte[] id) {
        Effects.write(jdbc, "charge_without_dedup", order, id);
    }
}
