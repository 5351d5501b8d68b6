package io.dedup.examples.recipes;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** docs/recipes/outbox.md: a handler that writes a row and sends a message. */
// docs:begin
@Component
class OrderListener {
    private final JdbcTemplate jdbc;

    OrderListener(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @KafkaListener(id = "billing", topics = "orders")
    void bill(String order, @Header("order-id") String orderId) {
        jdbc.update("INSERT INTO invoice (order_id, content) VALUES (?, ?)", orderId, order);
        jdbc.update(
                "INSERT INTO outbox (message_id, topic, payload) VALUES (?, ?, ?)",
                "invoice-" + orderId, // assigned here, once: every copy that the relay sends carries it
                "invoices",
                order);
    }
}
// docs:end
