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
 * Builds a {@link TopicReplay} of a Kafka topic. Works with any broker that the test can reach.
 *
 * <pre>{@code
 * TopicReplay replay = KafkaReplay.of("localhost:9092")
 *         .topic("orders").group("billing").ids(KafkaMessageIds.header("order-id"))
 *         .effects(() -> jdbc.queryForList("SELECT order_id FROM invoice", String.class))
 *         .build();
 * }</pre>
 *
 * <p>The group's committed offsets show what it has consumed. Share groups have none, so they cannot be replayed. Not
 * thread-safe.
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

    /** Connects to a broker without authentication. */
    public static KafkaReplay of(String bootstrapServers) {
        return of(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** Connects to a broker with the given settings, which must be valid for all kinds of Kafka clients. */
    public static KafkaReplay of(Map<String, Object> clientSettings) {
        return new KafkaReplay(new HashMap<>(clientSettings));
    }

    /** The topic to replay. Required. */
    public KafkaReplay topic(String name) {
        topic = Objects.requireNonNull(name, "topic");
        return this;
    }

    /** The application's consumer group. Required. */
    public KafkaReplay group(String name) {
        group = Objects.requireNonNull(name, "group");
        return this;
    }

    /**
     * Where the message ID is; use the listener's extractor. Required. Keys and values are bytes here, whichever
     * deserializers the application uses.
     */
    public KafkaReplay ids(MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> extractor) {
        ids = Objects.requireNonNull(extractor, "ids");
        return this;
    }

    /** The deduplicator's consumer name, if it isn't the group's name. */
    public KafkaReplay consumer(String name) {
        consumer = Objects.requireNonNull(name, "consumer");
        return this;
    }

    /**
     * How effects are counted, for example by the rows that the handler has written. Without it, effects are counted
     * from the timeline.
     *
     * @param tookEffect returns the message IDs, one entry for each time a message took effect; called often, on
     *     separate threads, because the test's own transaction may not see what handlers write
     */
    public KafkaReplay effects(Supplier<? extends Collection<String>> tookEffect) {
        effects = Objects.requireNonNull(tookEffect, "effects");
        return this;
    }

    /** The timeline that is registered as a listener of the application's deduplicator. */
    public KafkaReplay timeline(Timeline listener) {
        timeline = Objects.requireNonNull(listener, "timeline");
        return this;
    }

    /** The application's consumers of the group. Required for {@link io.dedup.testkit.replay.Replay#byRewinding()}. */
    public KafkaReplay consumers(StoppableConsumers stoppable) {
        consumers = Objects.requireNonNull(stoppable, "consumers");
        return this;
    }

    /** How long the application may take to consume everything; 1 minute by default. */
    public KafkaReplay atMost(Duration limit) {
        atMost = limit;
        return this;
    }

    /**
     * Creates the replay.
     *
     * @throws IllegalArgumentException when a setting is missing or invalid; names the setting
     */
    public TopicReplay build() {
        KafkaTopic broker = new KafkaTopic(
                client, required("topic", topic), required("group", group), required("ids", ids), consumers, atMost);
        return new TopicReplay(broker, timeline, consumer, effects, atMost);
    }

    private static <T> T required(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("Call " + what + "(...) first: it is required");
        }
        return value;
    }
}
