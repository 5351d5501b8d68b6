package io.dedup.spring.boot.docs;

// docs:begin
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
class BillingListener {
    private final Invoices invoices;

    BillingListener(Invoices invoices) {
        this.invoices = invoices;
    }

    @KafkaListener(id = "billing", topics = "orders")
    void bill(String order) { // takes effect once for each order-id
        invoices.create(order);
    }
}
// docs:end
