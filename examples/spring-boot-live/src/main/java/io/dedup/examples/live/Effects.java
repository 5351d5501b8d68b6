package io.dedup.examples.live;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.jdbc.core.JdbcTemplate;

/** Writes what the listeners did, one row per effect. */
final class Effects {
    private Effects() {}

    /** Doesn't check whether the row exists: two runs of a handler are two rows. */
    static void write(JdbcTemplate jdbc, String table, ConsumerRecord<String, String> order, byte[] id) {
        jdbc.update(
                "INSERT INTO " + table + " (order_id, customer, cents) VALUES (?, ?, ?)",
                new String(id, StandardCharsets.UTF_8),
                order.key(),
                Long.parseLong(order.value()));
    }
}
