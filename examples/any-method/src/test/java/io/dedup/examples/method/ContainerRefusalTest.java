package io.dedup.examples.method;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.stream.Environment;
import io.dedup.spring.boot.Deduplicated;
import jakarta.jms.ConnectionFactory;
import org.aopalliance.intercept.Joinpoint;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.jms.autoconfigure.DefaultJmsListenerContainerFactoryConfigurer;
import org.springframework.boot.jms.autoconfigure.SimpleJmsListenerContainerFactoryConfigurer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;
import org.springframework.jms.config.SimpleJmsListenerContainerFactory;
import org.springframework.jms.listener.SimpleMessageListenerContainer;
import org.springframework.rabbit.stream.config.StreamRabbitListenerContainerFactory;
import org.springframework.transaction.PlatformTransactionManager;

/** Containers whose settings would lose messages, or block them. They are refused before they start, so no broker is needed. */
class ContainerRefusalTest {
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Stock.class, Factories.class})
    static class App {}

    /** In the place of Spring Boot's own, which polls. */
    @Configuration(proxyBeanMethods = false)
    static class Factories {
        @Bean
        @ConditionalOnProperty(name = "test.rabbit", havingValue = "advised-stream")
        StreamRabbitListenerContainerFactory rabbitListenerContainerFactory(Environment broker) {
            StreamRabbitListenerContainerFactory factory = new StreamRabbitListenerContainerFactory(broker);
            factory.setAdviceChain((MethodInterceptor) Joinpoint::proceed);
            return factory;
        }

        @Bean
        @ConditionalOnProperty(name = "test.jms", havingValue = "simple")
        SimpleJmsListenerContainerFactory jmsListenerContainerFactory(
                SimpleJmsListenerContainerFactoryConfigurer settings, ConnectionFactory broker) {
            SimpleJmsListenerContainerFactory factory = new SimpleJmsListenerContainerFactory();
            settings.configure(factory, broker);
            return factory;
        }

        @Bean("jmsListenerContainerFactory")
        @ConditionalOnProperty(name = "test.jms", havingValue = "executor")
        SimpleJmsListenerContainerFactory withExecutor(
                SimpleJmsListenerContainerFactoryConfigurer settings, ConnectionFactory broker) {
            SimpleJmsListenerContainerFactory factory = new SimpleJmsListenerContainerFactory() {
                @Override
                protected void initializeContainer(SimpleMessageListenerContainer container) {
                    container.setTaskExecutor(Runnable::run);
                }
            };
            settings.configure(factory, broker);
            return factory;
        }

        @Bean("jmsListenerContainerFactory")
        @ConditionalOnProperty(name = "test.jms", havingValue = "acknowledges-itself")
        DefaultJmsListenerContainerFactory acknowledgesItself(
                DefaultJmsListenerContainerFactoryConfigurer settings, ConnectionFactory broker) {
            DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
            settings.configure(factory, broker);
            factory.setAcknowledgeAfterListener(false);
            return factory;
        }

        @Bean("jmsListenerContainerFactory")
        @ConditionalOnProperty(name = "test.jms", havingValue = "other-transaction")
        DefaultJmsListenerContainerFactory inTransactionOfDatabase(
                DefaultJmsListenerContainerFactoryConfigurer settings,
                ConnectionFactory broker,
                PlatformTransactionManager transactions) {
            DefaultJmsListenerContainerFactory factory = new DefaultJmsListenerContainerFactory();
            settings.configure(factory, broker);
            factory.setTransactionManager(transactions);
            return factory;
        }
    }

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
        "spring.rabbitmq.listener.type=stream, is called by a StreamListenerContainer",
        "test.rabbit=advised-stream, is called by a StreamListenerContainer",
        "spring.rabbitmq.listener.simple.retry.enabled=true, has retries that give up",
        "spring.jms.listener.session.transacted=false, acknowledged before it runs",
        "spring.jms.listener.session.transacted=false spring.jms.listener.session.acknowledge-mode=101, acknowledged one by one",
        "test.jms=simple, although it fails",
        "test.jms=simple spring.jms.listener.session.acknowledge-mode=dups-ok, although it fails",
        "test.jms=executor spring.jms.listener.session.transacted=true, runs on another thread",
        "test.jms=executor spring.jms.listener.session.acknowledge-mode=client, runs on another thread",
        "test.jms=acknowledges-itself spring.jms.listener.session.transacted=false"
                + " spring.jms.listener.session.acknowledge-mode=client, isn't called for duplicates",
        "test.jms=other-transaction spring.jms.listener.session.transacted=false, acknowledged before it runs",
        "test.jms=other-transaction, is called in a transaction of its container"
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
