package io.dedup.examples.recipes;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/** docs/recipes/dead-letters.md: a message that is replayed after a newer one changes nothing. */
class AddressListener {
    private final JdbcTemplate jdbc;

    AddressListener(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    // docs:begin guard
    @KafkaListener(id = "moving", topics = "addresses")
    void move(String address, @Header("customer-id") String customerId, @Header("version") String version) {
        jdbc.update(
                "INSERT INTO customer AS known (customer_id, address, version) VALUES (?, ?, ?)"
                        + " ON CONFLICT (customer_id) DO UPDATE SET address = excluded.address, version = excluded.version"
                        + " WHERE known.version < excluded.version",
                customerId,
                address,
                Long.valueOf(version));
    }
    // docs:end
}
