package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.spring.boot.Deduplicated;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.annotation.JmsListener;

/** Containers whose settings would lose messages, or block them. They are refused before they start, so no broker is needed. */
class ContainerRefusalTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stock.class)
    static class App {}

    static class Stock {
        @RabbitListener(queues = "orders")
        @Deduplicated(topic = "rabbit", consumer = "stock", id = "#order.messageProperties.messageId")
        public void fromRabbit(Message order) {}

        @JmsListener(destination = "orders")
        @Deduplicated(topic = "jms", consumer = "stock", id = "#order")
        public void fromJms(String order) {}
    }

    @ParameterizedTest
    @CsvSource({
        "spring.rabbitmq.listener.simple.acknowledge-mode=manual, isn't called for duplicates",
        "spring.rabbitmq.listener.simple.acknowledge-mode=none, counts as acknowledged",
        "spring.rabbitmq.listener.simple.retry.enabled=true, has retries that give up",
        "spring.jms.listener.session.transacted=false, acknowledged before it runs",
        "spring.jms.listener.session.transacted=false spring.jms.listener.session.acknowledge-mode=101, acknowledged one by one"
    })
    @DisplayName("a container that acknowledges before the method runs, not at all for duplicates, or gives up")
    void refused(String settings, String problem) {
        SpringApplicationBuilder app = new SpringApplicationBuilder(App.class)
                .properties(
                        "spring.main.web-application-type=none",
                        "spring.main.banner-mode=off",
                        "spring.config.name=none", // not that of the shop
                        "spring.artemis.mode=native",
                        "spring.datasource.url=jdbc:h2:mem:refused",
                        "dedup.store=jdbc",
                        "dedup.jdbc.initialize-schema=always",
                        "dedup.strict=true")
                .properties(settings.split(" "));
        assertThatThrownBy(app::run).hasStackTraceContaining("Stock.from").hasStackTraceContaining(problem);
    }
}
