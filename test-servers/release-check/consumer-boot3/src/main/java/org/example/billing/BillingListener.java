package org.example.billing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
class BillingListener {
    final List<String> billed = new CopyOnWriteArrayList<>();

    @KafkaListener(id = "billing", topics = "orders")
    void bill(String order) {
        billed.add(order);
    }
}
