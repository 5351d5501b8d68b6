package io.dedup.kafka;

import io.dedup.Deduplicator;
import io.dedup.MessageIdExtractor;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** Settings of a {@link KafkaDedup}: where the business ID is, for all topics or for single ones. Not thread-safe. */
public final class KafkaDedupBuilder {
    private final Deduplicator deduplicator;
    private final Map<String, MessageIdExtractor<? super ConsumerRecord<?, ?>>> byTopic = new HashMap<>();
    private @Nullable MessageIdExtractor<? super ConsumerRecord<?, ?>> byDefault;

    KafkaDedupBuilder(Deduplicator deduplicator) {
        this.deduplicator = Objects.requireNonNull(deduplicator, "deduplicator");
    }

    /** Finds the ID in the records of all topics that have no extractor of their own; see {@link KafkaMessageIds}. */
    public KafkaDedupBuilder id(MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        if (byDefault != null) {
            throw new IllegalArgumentException("id: the default extractor is set twice");
        }
        byDefault = Objects.requireNonNull(extractor, "id");
        return this;
    }

    /** Finds the ID in the records of one topic. */
    public KafkaDedupBuilder id(String topic, MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor) {
        if (byTopic.putIfAbsent(topic, Objects.requireNonNull(extractor, "id")) != null) {
            throw new IllegalArgumentException("id: the extractor of topic " + topic + " is set twice");
        }
        return this;
    }

    /**
     * The decorator, with its timer.
     *
     * @throws IllegalArgumentException when there is no extractor at all
     */
    public KafkaDedup build() {
        if (byDefault == null && byTopic.isEmpty()) {
            throw new IllegalArgumentException(
                    "id must be set: nothing tells where the message ID is; see KafkaMessageIds");
        }
        return new KafkaDedup(deduplicator, new RecordDeliveries(deduplicator, byDefault, byTopic));
    }
}
