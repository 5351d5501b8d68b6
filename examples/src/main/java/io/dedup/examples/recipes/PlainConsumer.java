package io.dedup.examples.recipes;

import io.dedup.Deduplicator;
import io.dedup.kafka.clients.DedupPoll;
import io.dedup.kafka.id.KafkaMessageIds;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Poll loops of a {@code KafkaConsumer}, without Spring. */
final class PlainConsumer {
    private final Deduplicator deduplicator;
    private final Consumer<ConsumerRecord<?, ?>> deadLetters;

    PlainConsumer(Deduplicator deduplicator, Consumer<ConsumerRecord<?, ?>> deadLetters) {
        this.deduplicator = deduplicator;
        this.deadLetters = deadLetters;
    }

    // docs:begin loop
    void run(KafkaConsumer<String, String> consumer, BooleanSupplier running, Consumer<String> orders) {
        try (DedupPoll<String, String> poll = DedupPoll.builder(deduplicator)
                .id(KafkaMessageIds.header("order-id"))
                .open(consumer, List.of("orders"))) {
            while (running.getAsBoolean()) {
                poll.poll(Duration.ofMillis(200), record -> orders.accept(record.value()));
            }
        }
    }
    // docs:end

    // docs:begin failures
    DedupPoll<String, String> withDeadLetters(KafkaConsumer<String, String> consumer) {
        return DedupPoll.builder(deduplicator)
                .id(KafkaMessageIds.header("order-id"))
                .retryDelay(Duration.ofSeconds(1), Duration.ofMinutes(1))
                .giveUpAfter(5, (record, cause) -> deadLetters.accept(record)) // returns once it is stored
                .open(consumer, List.of("orders"));
    }
    // docs:end
}
