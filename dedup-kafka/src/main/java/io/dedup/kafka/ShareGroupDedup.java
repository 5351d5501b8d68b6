package io.dedup.kafka;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.share.DedupShareContainer;
import io.dedup.kafka.internal.share.DedupShareContainerFactory;
import java.util.Objects;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.core.ShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/**
 * Makes listeners of share groups (KIP-932) idempotent. Needs spring-kafka 4.1 and brokers of Kafka 4.2, whose locks can be
 * renewed. Thread-safe.
 *
 * <p>A container is refused at its start, with an exception that names the setting, when it would lose or double messages:
 * {@code ShareAckMode.IMPLICIT}, asynchronous returns, a topic without a message ID extractor, a second group on a topic.
 */
public final class ShareGroupDedup {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;

    ShareGroupDedup(DedupAdapter engine, RecordDeliveries deliveries) {
        this.engine = engine;
        this.deliveries = deliveries;
    }

    /**
     * A container, to be set up and started as any other. Its listener may be set before or after.
     *
     * @param properties with the topics, and the acknowledgment mode {@code EXPLICIT} or {@code MANUAL}
     */
    public <K, V> ShareKafkaMessageListenerContainer<K, V> container(
            ShareConsumerFactory<K, V> consumers, ContainerProperties properties) {
        return new DedupShareContainer<>(
                Objects.requireNonNull(consumers, "consumers"),
                Objects.requireNonNull(properties, "properties"),
                engine,
                deliveries);
    }

    /** A factory of such containers, for {@code @KafkaListener(containerFactory = ...)}; make it a bean. */
    public <K, V> ShareKafkaListenerContainerFactory<K, V> containerFactory(ShareConsumerFactory<K, V> consumers) {
        return new DedupShareContainerFactory<>(Objects.requireNonNull(consumers, "consumers"), engine, deliveries);
    }
}
