package io.dedup.kafka;

import io.dedup.adapter.DedupAdapter;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.share.DedupShareContainer;
import io.dedup.kafka.internal.share.DedupShareContainerFactory;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.apache.kafka.clients.admin.Admin;
import org.springframework.kafka.config.ShareKafkaListenerContainerFactory;
import org.springframework.kafka.core.ShareConsumerFactory;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ShareKafkaMessageListenerContainer;

/**
 * Makes listeners of share groups (KIP-932) idempotent. Requires spring-kafka 4.1, and brokers of Kafka 4.2 or later,
 * which can renew record locks. Thread-safe.
 *
 * <p>A container whose settings would lose messages or handle them twice doesn't start: it throws an exception that
 * names the setting. This concerns {@code ShareAckMode.IMPLICIT}, asynchronous return types, a topic without a message
 * ID extractor, and a second group on the same topic.
 */
public final class ShareGroupDedup {
    private final DedupAdapter engine;
    private final RecordDeliveries deliveries;
    private final Function<Map<String, Object>, Admin> adminClient;

    ShareGroupDedup(
            DedupAdapter engine, RecordDeliveries deliveries, Function<Map<String, Object>, Admin> adminClient) {
        this.engine = engine;
        this.deliveries = deliveries;
        this.adminClient = adminClient;
    }

    /**
     * Creates a container, to be configured and started like any other. Its listener may be set before or after this
     * call, but before the start.
     *
     * @param properties with the topics, and the acknowledgment mode {@code EXPLICIT} or {@code MANUAL}
     */
    public <K, V> ShareKafkaMessageListenerContainer<K, V> container(
            ShareConsumerFactory<K, V> consumers, ContainerProperties properties) {
        return new DedupShareContainer<>(
                Objects.requireNonNull(consumers, "consumers"),
                Objects.requireNonNull(properties, "properties"),
                engine,
                deliveries,
                adminClient);
    }

    /**
     * Creates a factory of such containers for {@code @KafkaListener(containerFactory = ...)}; declare it as a bean.
     */
    public <K, V> ShareKafkaListenerContainerFactory<K, V> containerFactory(ShareConsumerFactory<K, V> consumers) {
        return new DedupShareContainerFactory<>(
                Objects.requireNonNull(consumers, "consumers"), engine, deliveries, adminClient);
    }
}
