package io.dedup.kafka;

import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.MessageIdExtractor;
import io.dedup.engine.Delivery;
import io.dedup.engine.DeliveryFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes deliveries of records: their topic's policy, their ID, their fingerprint. Thread-safe. */
final class RecordDeliveries {
    private static final Logger log = LoggerFactory.getLogger(KafkaDedup.class);

    private final DeliveryFactory<ConsumerRecord<?, ?>> factory;
    private final Set<String> toldUncompared = ConcurrentHashMap.newKeySet();

    RecordDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault,
            Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic) {
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
    }

    boolean hasDefault() {
        return factory.hasDefault();
    }

    boolean knows(String topic) {
        return factory.knows(topic);
    }

    boolean isTransactional(String topic) {
        return topic(topic).policy().mode().isTransactional();
    }

    DedupTopic topic(String name) {
        return factory.topic(name);
    }

    Delivery of(ConsumerRecord<?, ?> record) {
        return factory.of(
                record.topic(),
                record,
                () -> "topic " + record.topic() + ", partition " + record.partition() + ", offset " + record.offset(),
                this::fingerprint);
    }

    /**
     * Of the value's bytes where the value is text or bytes. Other values have been through a deserializer whose
     * product needn't be the same for the same bytes, so they aren't compared.
     */
    private @Nullable Fingerprint fingerprint(ConsumerRecord<?, ?> record) {
        Object value = record.value();
        if (value == null) {
            return KafkaMessageIds.failedDeserialization(record) ? null : Fingerprint.ofPayload(null);
        }
        if (value instanceof String text) {
            return Fingerprint.ofPayload(text.getBytes(StandardCharsets.UTF_8));
        }
        if (value instanceof byte[] bytes) {
            return Fingerprint.ofPayload(bytes);
        }
        if (value instanceof Bytes bytes) {
            return Fingerprint.ofPayload(bytes.get());
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return Fingerprint.ofPayload(bytes);
        }
        if (toldUncompared.add(record.topic())) {
            log.warn(
                    "Payloads of topic {} aren't compared although its policy asks for fingerprints: a fingerprint needs"
                            + " String or byte[] values, but these are {}",
                    record.topic(),
                    value.getClass().getName());
        }
        return null;
    }
}
