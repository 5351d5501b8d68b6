package io.dedup.kafka.id;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.engine.Deduplicators;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.memory.InMemoryDedupStore;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("The delivery of a record")
class KafkaDeliveriesTest {
    private final Deduplicator dedup = Deduplicators.builder(new InMemoryDedupStore())
            .consumer("deliveries")
            .defaults(DedupPolicy.builder().fingerprint(true).build())
            .build();
    private final KafkaDeliveries deliveries = new KafkaDeliveries(
            new DeliveryFactory<>(dedup::topic, KafkaMessageIds.key(), Map.of()),
            LoggerFactory.getLogger(KafkaDeliveriesTest.class));

    @AfterEach
    void close() {
        dedup.close();
    }

    private static ConsumerRecord<String, @Nullable Object> record(@Nullable Object value) {
        return new ConsumerRecord<>("orders", 3, 7, "id", value);
    }

    @Test
    @DisplayName("K16 a value that couldn't be deserialized has no fingerprint, and a record without value has one")
    void failedDeserialization() {
        ConsumerRecord<String, @Nullable Object> failed = record(null);
        failed.headers().add("springDeserializerExceptionValue", new byte[] {1});
        assertThat(deliveries.of(failed).fingerprint()).isNull();
        assertThat(deliveries.of(record(null)).fingerprint()).isNotNull();
        assertThat(deliveries.of(failed).differsFrom(deliveries.of(record("paid"))))
                .isFalse();
    }

    @Test
    @DisplayName("text and bytes have one fingerprint, whatever their class; other objects have none")
    void payloads() {
        byte[] bytes = "paid".getBytes(StandardCharsets.UTF_8);
        Delivery text = deliveries.of(record("paid"));
        assertThat(List.of(bytes, Bytes.wrap(bytes), ByteBuffer.wrap(bytes)))
                .allSatisfy(each ->
                        assertThat(deliveries.of(record(each)).fingerprint()).isEqualTo(text.fingerprint()));
        assertThat(deliveries.of(record("refunded")).differsFrom(text)).isTrue();
        assertThat(deliveries.of(record(List.of("paid"))).fingerprint()).isNull();
    }

    @Test
    @DisplayName("a record of a retry topic is a message of its main topic, and is named by its own place")
    void ofAnotherTopic() {
        Delivery delivery = deliveries.of("payments", record("paid"));
        assertThat(delivery.topic()).isEqualTo(dedup.topic("payments"));
        assertThat(delivery.key()).isEqualTo(dedup.key("payments", "id"));
        assertThat(delivery.origin().get()).isEqualTo("topic orders, partition 3, offset 7");
    }
}
