package io.dedup.examples.readme;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.DedupStore;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultErrorHandler;

/** The README's sample without Spring Boot. */
@Configuration
@EnableKafka
public class PaymentListener {
    private final Cards cards;

    PaymentListener(Cards cards) {
        this.cards = cards;
    }

    @Bean
    Deduplicator payments(DedupStore store) {
        return Deduplicators.builder(store)
                .consumer("payments") // with the topic, the scope in which an ID is unique
                .topic("orders", policy -> policy.window(Duration.ofDays(7)))
                .build();
    }

    @Bean
    KafkaDedup dedup(Deduplicator payments) {
        return KafkaDedup.builder(payments)
                .id(KafkaMessageIds.json("/data/orderId")) // or header("order-id"), key(), cloudEvent() …
                .build();
    }

    @Bean
    ConcurrentKafkaListenerContainerFactory<String, String> kafkaListenerContainerFactory(
            ConsumerFactory<String, String> consumers, KafkaDedup dedup, KafkaOperations<String, String> kafka) {
        var factory = new ConcurrentKafkaListenerContainerFactory<String, String>();
        factory.setConsumerFactory(consumers);
        factory.setContainerCustomizer(dedup.customizer());
        // what fails for good is lost without a dead-letter topic
        factory.setCommonErrorHandler(new DefaultErrorHandler(new DeadLetterPublishingRecoverer(kafka)));
        return factory;
    }

    @KafkaListener(topics = "orders", groupId = "payments")
    void pay(String order) {
        cards.charge(order); // takes effect once for each order ID
    }

    /** What moves the money. */
    interface Cards {
        void charge(String order);
    }
}
