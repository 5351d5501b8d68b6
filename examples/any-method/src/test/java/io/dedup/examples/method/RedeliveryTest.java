package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.spring.boot.Deduplicated;
import jakarta.jms.ConnectionFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jms.autoconfigure.SimpleJmsListenerContainerFactoryConfigurer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.SimpleJmsListenerContainerFactory;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.messaging.handler.annotation.Header;

/** The modes of JMS that aren't refused: a message whose method fails comes again, from both kinds of containers. */
class RedeliveryTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Stock.class)
    static class App {
        @Bean
        SimpleJmsListenerContainerFactory simple(
                SimpleJmsListenerContainerFactoryConfigurer settings, ConnectionFactory broker) {
            SimpleJmsListenerContainerFactory factory = new SimpleJmsListenerContainerFactory();
            settings.configure(factory, broker);
            return factory;
        }
    }

    static class Stock {
        final List<String> tries = new CopyOnWriteArrayList<>();

        @JmsListener(destination = "orders", containerFactory = "${test.factory}")
        @Deduplicated(topic = "jms", consumer = "stock", id = "#id")
        public void handle(String order, @Header("orderId") String id) {
            tries.add(order);
            if (tries.size() == 1) {
                throw new IllegalStateException("the first try fails");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "simple, transacted=true",
        "simple, acknowledge-mode=client",
        "jmsListenerContainerFactory, transacted=true",
        "jmsListenerContainerFactory, transacted=false acknowledge-mode=client"
    })
    @DisplayName("a message whose method fails comes again, and its copy is a duplicate then")
    void redelivered(String factory, String session) {
        SpringApplicationBuilder app = new SpringApplicationBuilder(App.class)
                .properties(
                        "spring.main.web-application-type=none",
                        "spring.main.banner-mode=off",
                        "spring.config.name=none", // not that of the shop
                        "spring.artemis.mode=embedded",
                        "spring.artemis.embedded.persistent=false",
                        "spring.artemis.embedded.queues=orders",
                        "spring.datasource.url=jdbc:h2:mem:redelivery",
                        "dedup.store=memory",
                        "test.factory=" + factory);
        for (String setting : session.split(" ")) {
            app.properties("spring.jms.listener.session." + setting);
        }
        try (ConfigurableApplicationContext context = app.run()) {
            Stock stock = (Stock) AopProxyUtils.getSingletonTarget(context.getBean(Stock.class));
            for (String order : List.of("order", "copy", "last")) {
                context.getBean(JmsTemplate.class).convertAndSend("orders", order, message -> {
                    message.setStringProperty("orderId", order.replace("copy", "order"));
                    return message;
                });
            }
            await().atMost(Duration.ofMinutes(3)).until(() -> stock.tries.contains("last"));
            assertThat(stock.tries).containsExactly("order", "order", "last");
        }
    }
}
