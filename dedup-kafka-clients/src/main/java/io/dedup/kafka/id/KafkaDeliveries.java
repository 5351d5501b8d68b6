package io.dedup.kafka.id;

import io.dedup.DedupTopic;
import io.dedup.Fingerprint;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.adapter.GroupProgress;
import io.dedup.policy.DedupPolicy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Creates the deliveries of records, with their topic's policy, their ID and their fingerprint. For adapters; applications need it for
 * nothing. Thread-safe.
 */
public final class KafkaDeliveries {
    /** Set by spring-kafka's {@code ErrorHandlingDeserializer}, which works without Spring's containers, too. */
    private static final String FAILED_VALUE_HEADER = "springDeserializerExceptionValue";

    private final DeliveryFactory<ConsumerRecord<?, ?>> factory;
    private final Logger log;
    private final GroupProgress<TopicPartition> progress;
    private final Function<ConsumerRecord<?, ?>, @Nullable Fingerprint> fingerprint = this::fingerprint;
    private volatile boolean explaining;
    /** Of a record before: those of a poll come partition by partition. Not volatile, because any thread may use any value. */
    private @Nullable RecordPartition lastPartition;

    private final Set<String> warnedUncompared = ConcurrentHashMap.newKeySet();

    /**
     * Creates the deliveries of a consumer.
     *
     * @param log receives a warning for each topic whose payloads cannot be compared
     */
    public KafkaDeliveries(DeliveryFactory<ConsumerRecord<?, ?>> factory, Logger log) {
        this(factory, log, new GroupProgress<>());
    }

    private KafkaDeliveries(
            DeliveryFactory<ConsumerRecord<?, ?>> factory, Logger log, GroupProgress<TopicPartition> progress) {
        this.factory = factory;
        this.log = log;
        this.progress = progress;
    }

    /** Creates other deliveries of the same consumers. */
    public KafkaDeliveries with(DeliveryFactory<ConsumerRecord<?, ?>> others) {
        return new KafkaDeliveries(others, log, progress);
    }

    /** Returns what finds topics and extractors. */
    public DeliveryFactory<ConsumerRecord<?, ?>> factory() {
        return factory;
    }

    /** Creates the delivery of a record of its own topic. */
    public Delivery of(ConsumerRecord<?, ?> record) {
        return of(record.topic(), record);
    }

    /**
     * Creates the delivery of a record.
     *
     * @param topic the topic whose message it is; another than the record's for retry and dead-letter topics
     */
    public Delivery of(String topic, ConsumerRecord<?, ?> record) {
        DedupTopic known = factory.topic(topic);
        DedupPolicy policy = known.policy();
        Supplier<String> origin = policy.explainDuplicates()
                ? new RecordOrigin(topic, record, partitionOf(record), policy.senderHeader())
                : origin(record.topic(), record.partition(), record.offset());
        return factory.of(topic, known, record, origin, fingerprint);
    }

    private RecordPartition partitionOf(ConsumerRecord<?, ?> record) {
        RecordPartition known = lastPartition;
        if (known == null || !known.isOf(record)) {
            known = RecordPartition.of(record, progress);
            lastPartition = known;
        }
        return known;
    }

    /** A consumer has polled these records, whose deliveries are created after this call. */
    public void polled(Object consumer, ConsumerRecords<?, ?> records) {
        polled(consumer, records, UnaryOperator.identity());
    }

    /**
     * As {@link #polled(Object, ConsumerRecords)}.
     *
     * @param messagesOf returns whose messages a topic has; another topic for retry topics
     */
    public void polled(Object consumer, ConsumerRecords<?, ?> records, UnaryOperator<String> messagesOf) {
        for (TopicPartition partition : records.partitions()) {
            if (!explains(messagesOf.apply(partition.topic()))) {
                continue;
            }
            List<? extends ConsumerRecord<?, ?>> polled = records.records(partition);
            if (!polled.isEmpty()) {
                progress.fetched(
                        consumer,
                        partition,
                        polled.get(0).offset(),
                        polled.get(polled.size() - 1).offset());
            }
        }
    }

    /** These offsets are committed. */
    public void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        if (explaining) {
            offsets.forEach((partition, offset) -> progress.committed(partition, offset.offset()));
        }
    }

    /** A consumer has lost these partitions. */
    public void left(Collection<TopicPartition> partitions) {
        if (explaining) {
            partitions.forEach(progress::left);
        }
    }

    /** Whether any polled topic explains its duplicates, so that polls and commits are noted. */
    public boolean explainsDuplicates() {
        return explaining;
    }

    /** What has not been polled is neither committed nor lost, so nothing is kept before a topic explains its duplicates. */
    private boolean explains(String topic) {
        boolean explains = factory.topic(topic).policy().explainDuplicates();
        if (explains && !explaining) {
            explaining = true;
        }
        return explains;
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
    static boolean failedDeserialization(ConsumerRecord<?, ?> record) {
        return record.headers().lastHeader(FAILED_VALUE_HEADER) != null;
    }
}
