package io.dedup.examples.recipes;

import io.dedup.DedupContext;
import java.util.function.UnaryOperator;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** docs/recipes/fencing-token.md: a handler whose write can be refused. */
@Component
class LabelPrinter {
    private final JdbcTemplate jdbc;
    private final UnaryOperator<String> printer;

    LabelPrinter(JdbcTemplate jdbc, UnaryOperator<String> printer) {
        this.jdbc = jdbc;
        this.printer = printer;
    }

    // docs:begin
    @KafkaListener(id = "shipping", topics = "shipments")
    void ship(String address, @Header("shipment-id") String shipmentId, DedupContext context) {
        String label = printer.apply(address); // may take longer than the lease
        long token = context.fencingToken();
        int rows = jdbc.update(
                "UPDATE shipment SET label = ?, token = ? WHERE shipment_id = ? AND token <= ?",
                label,
                token,
                shipmentId,
                token);
        if (rows == 0) {
            throw new IllegalStateException("A later run has written shipment " + shipmentId);
        }
    }
    // docs:end
}
