package io.dedup.testkit.kafka;

import io.dedup.id.MessageIdExtractor;
import io.dedup.testkit.replay.Timeline;
import io.dedup.testkit.replay.TopicReplay;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Makes a {@link TopicReplay} of a Kafka topic. Works with any broker that the test has, given its address.
 *
 * <pre>{@code
 * TopicReplay replay = KafkaReplay.of("localhost:9092")
 *         .topic("orders").group("billing").ids(KafkaMessageIds.header("order-id"))
 *         .effects(() -> jdbc.queryForList("SELECT order_id FROM invoice", String.class))
 *         .build();
 * }</pre>
 *
 * <p>Consumption is told by the group's committed offsets: share groups, which have none, can't be replayed.
 */
public final class KafkaReplay {
    private final Map<String, Object> client;
    private @Nullable String topic;
    private @Nullable String group;
    private @Nullable String consumer;
    private @Nullable MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids;
    private @Nullable Supplier<? extends Collection<String>> effects;
    private @Nullable StoppableConsumers consumers;
    private Timeline timeline = new Timeline();
    private Duration atMost = Duration.ofMinutes(1);

    private KafkaReplay(Map<String, Object> client) {
        this.client = client;
    }

    /** For a broker without authentication. */
    public static KafkaReplay of(String bootstrapServers) {
        return of(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** For a broker with authentication: the settings that all kinds of clients need. */
    public static KafkaReplay of(Map<String, Object> clientSettings) {
        return new KafkaReplay(new HashMap<>(clientSettings));
    }

    /** Required. */
    public KafkaReplay topic(String name) {
        topic = Objects.requireNonNull(name, "topic");
        return this;
    }

    /** Required: the application's consumer group. */
    public KafkaReplay group(String name) {
        group = Objects.requireNonNull(name, "group");
        return this;
    }

    /**
     * Required: where the ID is; the same as the listener's. Keys and values are bytes here, whatever the application's
     * deserializers make of them.
     */
    public KafkaReplay ids(MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> extractor) {
        ids = Objects.requireNonNull(extractor, "ids");
        return this;
    }

    /** The deduplicator's consumer name, where it isn't the group's. */
    public KafkaReplay consumer(String name) {
        consumer = Objects.requireNonNull(name, "consumer");
        return this;
    }

    /**
     * What tells the effects: for instance the rows that the handler has written. Without it, the timeline has to tell.
     *
     * @param tookEffect the IDs, one entry for each time; called often, on threads of its own, since a
     *     transaction of the test's may not see what handlers do
     */
    public KafkaReplay effects(Supplier<? extends Collection<String>> tookEffect) {
        effects = Objects.requireNonNull(tookEffect, "effects");
        return this;
    }

    /** A listener of the application's deduplicator. */
    public KafkaReplay timeline(Timeline listener) {
        timeline = Objects.requireNonNull(listener, "timeline");
        return this;
    }

    /** Needed for rewinding: what the application consumes with. */
    public KafkaReplay consumers(StoppableConsumers stoppable) {
        consumers = Objects.requireNonNull(stoppable, "consumers");
        return this;
    }

    /** How long the application may take to consume everything; 1 minute unless set. */
    public KafkaReplay atMost(Duration limit) {
        atMost = limit;
        return this;
    }

    /**
     * The replay.
     *
     * @throws IllegalArgumentException when a setting is missing or wrong; names it
     */
    public TopicReplay build() {
        KafkaTopic broker = new KafkaTopic(
                client, required("topic", topic), required("group", group), required("ids", ids), consumers, atMost);
        return new TopicReplay(broker, timeline, consumer, effects, atMost);
    }

    private static <T> T required(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException(what + "(...) must be set");
        }
        return value;
    }
}
