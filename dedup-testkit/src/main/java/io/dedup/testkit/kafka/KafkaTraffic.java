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
 * Makes the {@link Traffic} of a fault plan on a Kafka topic. Works with any broker that the test has, given its address.
 *
 * <pre>{@code
 * KafkaTraffic.of("localhost:9092")
 *         .group("billing").ids(KafkaMessageIds.key())
 *         .records(n -> new ProducerRecord<>("orders", "o-" + n, "an order"))
 *         .build()
 * }</pre>
 *
 * <p>Consumption is told by the group's committed offsets: share groups have none.
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

    /** For a broker without authentication. */
    public static KafkaTraffic of(String bootstrapServers) {
        return of(Map.of("bootstrap.servers", bootstrapServers));
    }

    /** For a broker with authentication: the settings that all kinds of clients need. */
    public static KafkaTraffic of(Map<String, Object> clientSettings) {
        return new KafkaTraffic(new HashMap<>(clientSettings));
    }

    /** Required: the application's consumer group. */
    public KafkaTraffic group(String name) {
        group = Objects.requireNonNull(name, "group");
        return this;
    }

    /**
     * Required: where the ID is; the same as the listener's. Keys and values are bytes here, whatever the application's
     * deserializers make of them.
     */
    public KafkaTraffic ids(MessageIdExtractor<? super ConsumerRecord<byte[], byte[]>> extractor) {
        ids = Objects.requireNonNull(extractor, "ids");
        return this;
    }

    /** Required: makes a message, given its number from 0 on. All go to one topic. */
    public KafkaTraffic records(IntFunction<ProducerRecord<String, String>> message) {
        return records(message, new StringSerializer(), new StringSerializer());
    }

    /**
     * As {@link #records(IntFunction)}, for other types.
     *
     * <p>A record that names a partition goes there, one with a key where its key goes, another one anywhere; so do its
     * copies.
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

    /** Where the application puts what it gives up. Without it, such messages count as lost. */
    public KafkaTraffic deadLetters(String topic) {
        deadLetters = Objects.requireNonNull(topic, "topic");
        return this;
    }

    /** Settings of guests in the group, where it has an assignor that isn't one of Kafka's. */
    public KafkaTraffic guests(Map<String, Object> consumerSettings) {
        guest = Map.copyOf(consumerSettings);
        return this;
    }

    /**
     * The traffic.
     *
     * @throws IllegalArgumentException when a setting is missing; names it
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
            throw new IllegalArgumentException(what + "(...) must be set");
        }
        return value;
    }
}
