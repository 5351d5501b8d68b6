package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.spring.boot.Deduplicated;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.annotation.RabbitHandler;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

/** A listener that returns before its effect: its container would acknowledge the message, and a failure would lose it. */
class AsyncRefusalTest {
    private final ApplicationContextRunner app = Applications.withMethods();

    @EnableAsync
    @Configuration(proxyBeanMethods = false)
    static class WithAsync {}

    @Async
    @RabbitListener(queues = "orders")
    @Retention(RetentionPolicy.RUNTIME)
    @interface AsyncOrders {}

    static class OfRabbit {
        @AsyncOrders
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    @Async
    static class OfJms {
        @JmsListener(destination = "orders")
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface InBackground {}

    @EnableAsync(annotation = InBackground.class)
    @Configuration(proxyBeanMethods = false)
    static class WithItsOwn {}

    @RabbitListener(queues = "orders")
    static class OfRabbitClass {
        @InBackground
        @RabbitHandler
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    static class OfEvent {
        @Async
        @EventListener
        @Deduplicated(topic = "orders", consumer = "stock", id = "#order")
        public void handle(String order) {}
    }

    private void refused(Class<?> configuration, Class<?> bean) {
        app.withUserConfiguration(configuration)
                .withBean(bean)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("Method " + bean.getSimpleName() + ".handle")
                        .hasStackTraceContaining("acknowledges the message"));
    }

    @Test
    @DisplayName("a listener of a broker that is @Async, by its method, its class, or an annotation of the application")
    void refused() {
        refused(WithAsync.class, OfRabbit.class);
        refused(WithAsync.class, OfJms.class);
        refused(WithItsOwn.class, OfRabbitClass.class);
        app.withUserConfiguration(WithAsync.class)
                .withBean(OfEvent.class)
                .run(context -> assertThat(context).hasNotFailed());
    }
}
