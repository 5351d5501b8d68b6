package io.dedup.examples.rocketmqspring;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** A shop that books orders and answers requests for reservations, both by RocketMQ. Needs a name server on port 9876. */
@SpringBootApplication
class ShopApplication {
    /** An order, in JSON. */
    record Order(String item, int amount) {}

    public static void main(String[] arguments) {
        SpringApplication.run(ShopApplication.class, arguments);
    }
}
