package io.dedup.examples.live;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.jdbc.core.JdbcTemplate;

/** Where the listeners leave what they did. */
final class Effects {
    private Effects() {}

    /** Nothing here asks whether the row is there already. */
    static void write(JdbcTemplate jdbc, ConsumerRecord<String, String> order, byte[] id) {
        jdbc.update(
                "INSERT INTO effect (topic, order_id, customer, cents) VALUES (?, ?, ?, ?)",
                order.topic(),
                new String(id, StandardCharsets.UTF_8),
                order.key(),
                Long.parseLong(order.value()));
    }
}
