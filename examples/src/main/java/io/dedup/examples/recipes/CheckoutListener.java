package io.dedup.examples.recipes;

import io.dedup.DedupContext;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.stereotype.Component;

/** docs/recipes/steps.md: a handler that calls several services, and continues where an earlier attempt has stopped. */
@Component
class CheckoutListener {
    private final Cards cards;
    private final Mails mails;
    private final Warehouse warehouse;

    CheckoutListener(Cards cards, Mails mails, Warehouse warehouse) {
        this.cards = cards;
        this.mails = mails;
        this.warehouse = warehouse;
    }

    // docs:begin
    @KafkaListener(id = "checkout", topics = "checkouts")
    void on(String order, @Header("order-id") String orderId, DedupContext context) {
        String charge = context.step("charge", String.class, () -> cards.charge(order, context.stepKey("charge")));
        context.step("mail", () -> mails.send(orderId, charge));
        context.step("reserve", () -> warehouse.reserve(orderId));
    }
    // docs:end

    /** Charges once for each key, and returns the charge's ID. */
    interface Cards {
        String charge(String order, String idempotencyKey);
    }

    /** Sends a mail each time. */
    interface Mails {
        void send(String orderId, String charge);
    }

    /** Reserves the goods of an order. */
    interface Warehouse {
        void reserve(String orderId);
    }
}
