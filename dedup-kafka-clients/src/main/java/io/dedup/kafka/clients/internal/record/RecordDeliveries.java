package io.dedup.kafka.clients.internal.record;

import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.id.MessageIdExtractor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the deliveries of records: with their topic's policy, their ID and their fingerprint. Thread-safe. */
public final class RecordDeliveries {
    private static final Logger log = LoggerFactory.getLogger("io.dedup.kafka.clients.DedupPoll");

    private final DeliveryFactory<ConsumerRecord<?, ?>> factory;
    private final Set<String> warnedUncompared = ConcurrentHashMap.newKeySet();

    public RecordDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault,
            Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic) {
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
    }

    public boolean knows(String topic) {
        return factory.knows(topic);
    }

    public Delivery of(ConsumerRecord<?, ?> record) {
        return factory.of(
                record.topic(), record, origin(record.topic(), record.partition(), record.offset()), this::fingerprint);
    }

    /** Doesn't keep the record: a delivery may live longer than its payload is needed. */
    private static Supplier<String> origin(String topic, int partition, long offset) {
        return () -> "topic " + topic + ", partition " + partition + ", offset " + offset;
    }

    /** Text and bytes are compared; the same bytes may become different objects of other types. */
    private @Nullable Fingerprint fingerprint(ConsumerRecord<?, ?> record) {
        Object value = record.value();
        if (value == null || value instanceof byte[]) {
            return Fingerprint.ofPayload((byte[]) value);
        }
        if (value instanceof String text) {
            return Fingerprint.ofPayload(text.getBytes(StandardCharsets.UTF_8));
        }
        if (value instanceof Bytes bytes) {
            return Fingerprint.ofPayload(bytes.get());
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return Fingerprint.ofPayload(bytes);
        }
        if (warnedUncompared.add(record.topic())) {
            log.warn(
                    "Cannot compare the payloads of topic {} (its policy sets fingerprint): the values are {}, and"
                            + " only String and byte[] values can be compared. Use such a deserializer, or turn"
                            + " fingerprint off for this topic",
                    record.topic(),
                    value.getClass().getName());
        }
        return null;
    }
}
