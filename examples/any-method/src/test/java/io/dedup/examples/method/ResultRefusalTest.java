package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.messaging.handler.annotation.SendTo;
import org.springframework.modulith.events.ApplicationModuleListener;

/** What a container or a publisher would send on after the call is lost with its process: the repeated message is a duplicate. */
class ResultRefusalTest {
    private final ApplicationContextRunner app = Applications.withMethods();

    static class OfRabbit {
        @RabbitListener(queues = "orders")
        @SendTo("invoices")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfRabbitTwice {
        @RabbitListener(queues = "orders")
        @RabbitListener(queues = "returns")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfJms {
        @JmsListener(destination = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    static class OfModulith {
        @ApplicationModuleListener
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public String handle(String order) {
            return "invoice";
        }
    }

    private void refused(Class<?> bean, String sending) {
        app.withBean(bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("Method " + bean.getSimpleName() + ".")
                        .hasStackTraceContaining("(" + sending + ")")
                        .hasStackTraceContaining("the result is never sent"));
    }

    @Test
    @DisplayName("a listener that returns its reply, or an event")
    void refused() {
        refused(OfRabbit.class, "@RabbitListener");
        refused(OfRabbitTwice.class, "@RabbitListener");
        refused(OfJms.class, "@JmsListener");
        refused(OfModulith.class, "@EventListener");
    }
}
