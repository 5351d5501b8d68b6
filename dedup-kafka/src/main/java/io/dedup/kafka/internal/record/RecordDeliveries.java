package io.dedup.kafka.internal.record;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.Fingerprint;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.record.TopicRoles.Role;
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
import org.springframework.kafka.support.KafkaUtils;

/** Creates the deliveries of records: with their topic's policy, their ID and their fingerprint. Thread-safe. */
public final class RecordDeliveries {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final Deduplicator deduplicator;
    private final DeliveryFactory<ConsumerRecord<?, ?>> factory;
    private final DeliveryFactory<ConsumerRecord<?, ?>> deadLetters;
    private final TopicRoles roles;
    private final Set<String> warnedUncompared = ConcurrentHashMap.newKeySet();

    public RecordDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault,
            Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic,
            TopicRoles roles,
            Coordinates coordinates) {
        this.deduplicator = deduplicator;
        this.factory = new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic);
        this.deadLetters = new DeliveryFactory<>(this::deadLetterTopic, coordinates, Map.of());
        this.roles = roles;
    }

    public TopicRoles roles() {
        return roles;
    }

    private DedupTopic deadLetterTopic(String of) {
        DedupTopic main = deduplicator.topic(of);
        return new DedupTopic(DedupScope.deadLetter(deduplicator.consumer(), of), main.policy());
    }

    public boolean hasDefault() {
        return factory.hasDefault();
    }

    public boolean knows(String topic) {
        Role role = roles.of(topic);
        return role.deadLetter() || factory.knows(role.of());
    }

    public boolean isTransactional(String topic) {
        return topic(topic).policy().mode().isTransactional();
    }

    public DedupTopic topic(String name) {
        Role role = roles.of(name);
        return (role.deadLetter() ? deadLetters : factory).topic(role.of());
    }

    public Delivery of(ConsumerRecord<?, ?> record) {
        Role role = roles.of(record.topic());
        return (role.deadLetter() ? deadLetters : factory)
                .of(role.of(), record, origin(record.topic(), record.partition(), record.offset()), this::fingerprint);
    }

    /**
     * Doesn't keep the record: a delivery lives as long as its claim, which may be longer than the payload is needed.
     */
    private static Supplier<String> origin(String topic, int partition, long offset) {
        return () -> "topic " + topic + ", partition " + partition + ", offset " + offset;
    }

    /**
     * The fingerprint of the value's bytes, if the value is text or bytes. Other values aren't compared, because their
     * deserializer may produce different objects for the same bytes.
     */
    private @Nullable Fingerprint fingerprint(ConsumerRecord<?, ?> record) {
        Object value = record.value();
        if (value == null) {
            return failedDeserialization(record) ? null : Fingerprint.ofPayload(null);
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

    /** Whether an {@code ErrorHandlingDeserializer} has replaced the value by its failure. */
    public static boolean failedDeserialization(ConsumerRecord<?, ?> record) {
        return record.headers().lastHeader(KafkaUtils.VALUE_DESERIALIZER_EXCEPTION_HEADER) != null;
    }
}
