package io.dedup.ledger.applications.consumer;

import io.dedup.ledger.applications.plan.ApplicationRow;
import io.dedup.spring.boot.Deduplicated;
import java.util.function.Consumer;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** Each row's own code: as little as an application needs. */
final class Rows {
    private Rows() {}

    static Class<?> of(ApplicationRow row) {
        return switch (row) {
            case ARTEMIS -> Jms.class;
            case AMQP, RABBITMQ -> Amqp.class;
            case PARALLEL_CONSUMER -> ParallelConsumer.class;
            case STREAM -> Stream.class;
            case HTTP -> Http.class;
        };
    }

    static class Jms {
        private final Handling handling;

        Jms(Handling handling) {
            this.handling = handling;
        }

        @JmsListener(destination = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#id")
        public void order(String text, @Header("orderId") String id) {
            handling.handle(text);
        }
    }

    static class Amqp {
        private final Handling handling;

        Amqp(Handling handling) {
            this.handling = handling;
        }

        @RabbitListener(queues = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#id")
        public void order(String text, @Header("orderId") String id) {
            handling.handle(text);
        }
    }

    static class Stream {
        @Bean
        Consumer<Message<String>> stock(Handling handling) {
            return order -> handling.handle(order.getPayload());
        }
    }

    @RestController
    static class Http {
        private final Handling handling;

        Http(Handling handling) {
            this.handling = handling;
        }

        @PostMapping("/orders")
        String order(@RequestBody String text) {
            handling.handle(text);
            return "ordered";
        }
    }
}
