package io.dedup.examples.method;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableAsync;

/** A shop: orders come by JMS, and each reserved order is an event. */
@EnableAsync
@SpringBootApplication
class ShopApplication {
    /** What has happened to an order. */
    record OrderReserved(String orderId) {}
}
