package io.dedup.testkit.kafka;

import io.dedup.id.MessageIdExtractor;
import io.dedup.testkit.plan.Traffic;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.Serializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;

/**
 * Builds the {@link Traffic} of a fault plan on a Kafka topic. Works with any broker that the test can reach.
 *
 * <pre>{@code
 * KafkaTraffic.of("localhost:9092")
 *         .group("billing").ids(KafkaMessageIds.key())
 *         .records(n -> new ProducerRecord<>("orders", "o-" + n, "an order"))
 *         .build()
 * }</pre>
 *
 * <p>The group's committed offsets show what it has consumed; share groups have none. Not thread-safe.
 */
public final class KafkaTraffic {
    private final Map<String, Object> client;
    private @Nullable String group;
    private @Nullable MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> ids;
    private @Nullable IntFunction<ProducerRecord<byte[], byte[]>> records;
    private @Nullable String deadLetters;
    private Map<String, Object> guest = Map.of();

    private KafkaTraffic(Map<String, Object> client) {
        this.client = client;
    }

    /** Connects to a broker without authentication. */
    public static KafkaTraffic of(String bootstrapServers) {
        return of(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** Connects to a broker with the given settings, which must be valid for all kinds of Kafka clients. */
    public static KafkaTraffic of(Map<String, Object> clientSettings) {
        return new KafkaTraffic(new HashMap<>(clientSettings));
    }

    /** The application's consumer group. Required. */
    public KafkaTraffic group(String name) {
        group = Objects.requireNonNull(name, "group");
        return this;
    }

    /**
     * Where the message ID is; use the listener's extractor. Required. Keys and values are bytes here, whichever
     * deserializers the application uses.
     */
    public KafkaTraffic ids(MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> extractor) {
        ids = Objects.requireNonNull(extractor, "ids");
        return this;
    }

    /** Creates a message from its number, which counts from 0. Required. All messages must go to one topic. */
    public KafkaTraffic records(IntFunction<ProducerRecord<String, String>> message) {
        return records(message, new StringSerializer(), new StringSerializer());
    }

    /**
     * As {@link #records(IntFunction)}, for keys and values of other types.
     *
     * <p>A record goes to the partition that it names, otherwise to the partition of its key, and without a key to any
     * partition. The same holds for its copies.
     */
    public <K, V> KafkaTraffic records(
            IntFunction<ProducerRecord<K, V>> message, Serializer<K> keys, Serializer<V> values) {
        Objects.requireNonNull(message, "message");
        records = number -> {
            ProducerRecord<K, V> made = message.apply(number);
            return new ProducerRecord<>(
                    made.topic(),
                    made.partition(),
                    keys.serialize(made.topic(), made.headers(), made.key()),
                    values.serialize(made.topic(), made.headers(), made.value()),
                    made.headers());
        };
        return this;
    }

    /**
     * The topic where the application sends messages that it gives up. If it isn't set, such messages count as lost; if it
     * is, assert {@link io.dedup.testkit.plan.FaultReportAssert#gaveNothingUp()} as well, unless giving up is right.
     */
    public KafkaTraffic deadLetters(String topic) {
        deadLetters = Objects.requireNonNull(topic, "topic");
        return this;
    }

    /**
     * Consumer settings for the guests that join the group, needed if the group uses an assignor that isn't one of
     * Kafka's. They may be all settings of the application's consumers: guests keep a name of their own, are no static
     * members, and commit nothing.
     */
    public KafkaTraffic guests(Map<String, Object> consumerSettings) {
        guest = Map.copyOf(consumerSettings);
        return this;
    }

    /**
     * Creates the traffic.
     *
     * @throws IllegalArgumentException when a setting is missing; names the setting
     */
    public Traffic build() {
        String reading = required("group", group);
        return new KafkaGroupTraffic(
                client,
                new RecordSource(required("records", records), required("ids", ids)),
                reading,
                deadLetters,
                new GroupGuest(client, reading, guest));
    }

    private static <T> T required(String what, @Nullable T value) {
        if (value == null) {
            throw new IllegalArgumentException("Call " + what + "(...) first: it is required");
        }
        return value;
    }
}
