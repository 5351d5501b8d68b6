package io.dedup.kafka.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.support.serializer.ErrorHandlingDeserializer;

class RecordDeliveriesTest {
    @Test
    @DisplayName("K16 a value that spring-kafka's ErrorHandlingDeserializer couldn't read has no fingerprint")
    void failedDeserialization() {
        Deserializer<Object> failing = (topic, data) -> {
            throw new IllegalStateException("cannot be deserialized");
        };
        Headers headers = new RecordHeaders();
        @Nullable Object value;
        try (var deserializer = new ErrorHandlingDeserializer<>(failing)) {
            value = deserializer.deserialize("orders", headers, "paid".getBytes(StandardCharsets.UTF_8));
        }
        ConsumerRecord<String, @Nullable Object> failed = new ConsumerRecord<>("orders", 3, 7, "id", value);
        headers.forEach(failed.headers()::add);
        try (Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
                .consumer("deliveries")
                .defaults(DedupPolicy.builder().fingerprint(true).build())
                .build()) {
            RecordDeliveries deliveries = new RecordDeliveries(
                    dedup, KafkaMessageIds.key(), Map.of(), new TopicRoles(Map.of()), KafkaMessageIds.coordinates());
            assertThat(failed.value()).isNull();
            assertThat(deliveries.of(failed).fingerprint()).isNull();
        }
    }
}
