package io.dedup.examples.stream;

import io.dedup.spring.boot.integration.DedupReceiverInterceptor;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.annotation.ServiceActivator;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.kafka.dsl.Kafka;
import org.springframework.integration.kafka.inbound.KafkaMessageDrivenChannelAdapter.ListenerMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;
import org.springframework.messaging.handler.annotation.Header;
import org.springframework.util.backoff.FixedBackOff;

/** Flows of Spring Integration. */
@Configuration(proxyBeanMethods = false)
class Invoices {
    /** An inbound adapter for Kafka needs its YAML alone, and a place for messages that fail for good, as without dedup. */
    @Bean
    IntegrationFlow invoiceFlow(
            ConsumerFactory<Object, Object> consumers, KafkaOperations<Object, Object> kafka, JdbcTemplate database) {
        var errors = new DefaultErrorHandler(new DeadLetterPublishingRecoverer(kafka), new FixedBackOff(1_000, 3));
        return IntegrationFlow.from(Kafka.messageDrivenChannelAdapter(consumers, ListenerMode.record, "invoices")
                        .id("invoices-in")
                        .configureListenerContainer(
                                container -> container.groupId("accounting").errorHandler(errors)))
                .handle(message -> database.update(
                        "INSERT INTO invoice VALUES (?)",
                        new String((byte[]) message.getPayload(), StandardCharsets.UTF_8)))
                .get();
    }

    /** The binder creates its dead-letter topics itself. */
    @Bean
    NewTopic deadInvoices() {
        return TopicBuilder.name("invoices-dlt").build();
    }

    /** A handler whatever its source. */
    @Bean
    DedupReceiverInterceptor mailOnce() {
        DedupReceiverInterceptor once = new DedupReceiverInterceptor("mail", "mailing", "header:mailId");
        once.setDiscardChannelName("duplicates");
        return once;
    }

    @Configuration(proxyBeanMethods = false)
    static class Mailing {
        private final JdbcTemplate database;

        Mailing(JdbcTemplate database) {
            this.database = database;
        }

        @ServiceActivator(inputChannel = "mail", adviceChain = "mailOnce")
        void send(String text, @Header("mailId") String mailId) {
            database.update("INSERT INTO mail VALUES (?)", mailId);
            if (text.startsWith("bounce")) {
                throw new IllegalStateException(text);
            }
        }
    }
}
