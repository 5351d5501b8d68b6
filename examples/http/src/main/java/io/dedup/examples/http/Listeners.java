package io.dedup.examples.http;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** The listeners behind the API. */
@Component
class Listeners {
    private final JdbcTemplate database;
    private final Refunds refunds;

    Listeners(JdbcTemplate database, Refunds refunds) {
        this.database = database;
        this.refunds = refunds;
    }

    /** Books what the API has published. Its record is one of its own: the API's says that the payment was published. */
    @KafkaListener(id = "booking", topics = "payments")
    void book(String payment, @Header("payment-id") String id) {
        database.update("INSERT INTO booking VALUES (?)", id); // no unique key
    }

    /** Makes refunds that other systems send. Some of them come by the API as well. */
    @KafkaListener(id = "refunds", topics = "refunds")
    void refund(String refund, @Header("refund-id") String id) {
        refunds.refund(id, "listener");
    }
}
