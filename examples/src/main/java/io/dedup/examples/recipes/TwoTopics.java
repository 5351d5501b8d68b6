package io.dedup.examples.recipes;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.DedupStore;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ContainerPostProcessor;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/** docs/recipes/two-topics.md: one scope for two topics. */
@Configuration
class TwoTopics {
    private final Consumer<String> trips;

    TwoTopics(Consumer<String> trips) {
        this.trips = trips;
    }

    // docs:begin join
    @Bean
    Deduplicator booking(DedupStore store) {
        return Deduplicators.builder(store)
                .consumer("booking")
                .topic("bookings", policy -> policy.window(Duration.ofDays(7))) // for both topics
                .build();
    }

    @Bean
    KafkaDedup bookingDedup(Deduplicator booking) {
        return KafkaDedup.builder(booking)
                .id(KafkaMessageIds.header("booking-id"))
                .retryTopic("bookings-v2", "bookings") // its messages are messages of bookings
                .build();
    }

    @Bean
    ContainerPostProcessor<String, String, ConcurrentMessageListenerContainer<String, String>> bookingContainer(
            KafkaDedup bookingDedup) {
        return bookingDedup.postProcessor();
    }

    @KafkaListener(
            id = "booking",
            topics = {"bookings", "bookings-v2"},
            containerPostProcessor = "bookingContainer")
    void book(String trip) {
        trips.accept(trip);
    }
    // docs:end

    // docs:begin ids
    static final MessageIdExtractor<ConsumerRecord<?, ?>> BOOKING_ID =
            record -> record.topic().equals("bookings-v2")
                    ? KafkaMessageIds.key().extract(record)
                    : KafkaMessageIds.header("booking-id").extract(record);
    // docs:end
}
