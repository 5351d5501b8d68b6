package io.dedup.kafka.internal.record;

import io.dedup.DedupScope;
import io.dedup.DedupTopic;
import io.dedup.Deduplicator;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.KafkaDeliveries;
import io.dedup.kafka.internal.KafkaLog;
import io.dedup.kafka.internal.record.TopicRoles.Role;
import java.util.Collection;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the deliveries of records by the roles of their topics. Thread-safe. */
public final class RecordDeliveries {
    private static final Logger log = LoggerFactory.getLogger(KafkaLog.NAME);

    private final Deduplicator deduplicator;
    private final KafkaDeliveries messages;
    private final KafkaDeliveries deadLetters;
    private final TopicRoles roles;

    /** @param coordinates the IDs of dead letters */
    public RecordDeliveries(
            Deduplicator deduplicator,
            @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault,
            Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic,
            TopicRoles roles,
            MessageIdExtractor<? super ConsumerRecord<?, ?>> coordinates) {
        this.deduplicator = deduplicator;
        this.messages = new KafkaDeliveries(new DeliveryFactory<>(deduplicator::topic, byDefault, byTopic), log);
        this.deadLetters = messages.with(new DeliveryFactory<>(this::deadLetterTopic, coordinates, Map.of()));
        this.roles = roles;
    }

    /** A consumer has polled these records, whose deliveries are created after this call. */
    public void polled(Object consumer, ConsumerRecords<?, ?> records) {
        messages.polled(consumer, records, topic -> roles.of(topic).of());
    }

    /** These offsets are committed. */
    public void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
        messages.committed(offsets);
    }

    /** Whether any polled topic explains its duplicates. */
    public boolean explainsDuplicates() {
        return messages.explainsDuplicates();
    }

    /** A consumer has lost these partitions. */
    public void left(Collection<TopicPartition> partitions) {
        messages.left(partitions);
    }

    public TopicRoles roles() {
        return roles;
    }

    private DedupTopic deadLetterTopic(String of) {
        DedupTopic main = deduplicator.topic(of);
        return new DedupTopic(DedupScope.deadLetter(deduplicator.consumer(), of), main.policy());
    }

    public boolean hasDefault() {
        return messages.factory().hasDefault();
    }

    public boolean knows(String topic) {
        Role role = roles.of(topic);
        return role.deadLetter() || messages.factory().knows(role.of());
    }

    public boolean isTransactional(String topic) {
        return topic(topic).policy().mode().isTransactional();
    }

    public DedupTopic topic(String name) {
        Role role = roles.of(name);
        return by(role).factory().topic(role.of());
    }

    public Delivery of(ConsumerRecord<?, ?> record) {
        Role role = roles.of(record.topic());
        return by(role).of(role.of(), record);
    }

    private KafkaDeliveries by(Role role) {
        return role.deadLetter() ? deadLetters : messages;
    }
}
