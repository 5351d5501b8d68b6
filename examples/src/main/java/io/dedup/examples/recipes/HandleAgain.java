package io.dedup.examples.recipes;

import io.dedup.Deduplicator;
import io.dedup.LiveLease;
import io.dedup.OperatorResult;
import java.util.function.Consumer;

/** docs/recipes/handle-again.md: an operator's command. */
final class HandleAgain {
    private final Deduplicator deduplicator;
    private final Consumer<String> producer;

    HandleAgain(Deduplicator deduplicator, Consumer<String> producer) {
        this.deduplicator = deduplicator;
        this.producer = producer;
    }

    // docs:begin
    void handleAgain(String orderId) {
        OperatorResult result = deduplicator.forget(deduplicator.key("orders", orderId), LiveLease.RESPECT);
        if (result == OperatorResult.LEASE_LIVE) {
            throw new IllegalStateException("Order " + orderId + " is being handled; try again when that has ended");
        }
        producer.accept(orderId); // forgetting doesn't deliver anything: send the message again
    }
    // docs:end
}
