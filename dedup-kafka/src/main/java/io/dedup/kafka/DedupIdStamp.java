package io.dedup.kafka;

import io.dedup.text.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerInterceptor;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Stamps a message ID on records that a producer sends without one, so that consumers recognise what an application sends
 * again: {@link KafkaMessageIds#header}. A record that has the header is left alone, whatever is in it. Thread-safe.
 *
 * <p>What is recognised:
 *
 * <ul>
 *   <li>With an ID function: everything for which it gives the same ID, in whatever process and however often it is sent.
 *   <li>Without: the same {@link ProducerRecord} object, sent again, which keeps the ID of its first time. And what is copied
 *       with its headers, such as by a dead-letter recoverer. Not a second {@code template.send(topic, value)}, which makes
 *       an object of its own; not what another process, or this one after a restart, sends again.
 * </ul>
 *
 * <p>The producer's own retries need no ID: {@code enable.idempotence}, the default, recognises them.
 *
 * <p>For a {@code KafkaTemplate}: {@code template.setProducerInterceptor(stamp)}; what the function throws is then thrown by
 * {@code send}. For any producer of a factory: {@code interceptor.classes} with this class, and {@value #HEADER_CONFIG} and
 * {@value #FUNCTION_CONFIG} beside it. There Kafka logs what an interceptor throws and sends the record without an ID, about
 * which the consumer's {@code OnMissingId} decides.
 */
public final class DedupIdStamp<K, V> implements ProducerInterceptor<K, V> {
    /** The header's name, when none is set. */
    public static final String DEFAULT_HEADER = "dedup-id";

    /** A producer's setting: the header's name. */
    public static final String HEADER_CONFIG = "dedup.id.header";

    /**
     * A producer's setting: a {@code Function<ProducerRecord<K, V>, String>}, or the name of a class of one that has a public
     * constructor without parameters.
     */
    public static final String FUNCTION_CONFIG = "dedup.id.function";

    private String header;
    private @Nullable Function<? super ProducerRecord<K, V>, @Nullable String> function;

    /** For {@code interceptor.classes}, which configures it: random IDs in the header {@value #DEFAULT_HEADER}, if nothing is set. */
    public DedupIdStamp() {
        this.header = DEFAULT_HEADER;
    }

    private DedupIdStamp(String header, @Nullable Function<? super ProducerRecord<K, V>, @Nullable String> function) {
        this.header = requireName("header", header);
        this.function = function;
    }

    /** Random IDs, one for each {@link ProducerRecord} object. */
    public static <K, V> DedupIdStamp<K, V> random(String header) {
        return new DedupIdStamp<>(header, null);
    }

    /**
     * IDs out of what is sent.
     *
     * @param function must give the same ID for the same business message, always, and different ones for different
     *     messages: two that share an ID are one, and the second isn't handled. Null or blank for a record that shall have
     *     none. Called by any thread
     */
    public static <K, V> DedupIdStamp<K, V> of(
            String header, Function<? super ProducerRecord<K, V>, @Nullable String> function) {
        return new DedupIdStamp<>(header, Objects.requireNonNull(function, "function"));
    }

    @Override
    @SuppressWarnings("unchecked")
    public void configure(Map<String, ?> settings) {
        Object name = settings.get(HEADER_CONFIG);
        if (name != null) {
            header = requireName(HEADER_CONFIG, name.toString());
        }
        Object given = settings.get(FUNCTION_CONFIG);
        if (given != null) {
            function = (Function<ProducerRecord<K, V>, @Nullable String>) functionOf(given);
        }
    }

    private static String requireName(String setting, String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException(setting + ": the name of the header must not be blank");
        }
        return name;
    }

    private static Function<?, ?> functionOf(Object given) {
        try {
            Object made = given instanceof Function
                    ? given
                    : (given instanceof Class<?> type
                                    ? type
                                    : Class.forName(
                                            given.toString(),
                                            true,
                                            Thread.currentThread().getContextClassLoader()))
                            .getConstructor()
                            .newInstance();
            if (made instanceof Function<?, ?> found) {
                return found;
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    FUNCTION_CONFIG + " can't be made: " + given + " needs a public constructor without parameters", e);
        }
        throw new IllegalArgumentException(FUNCTION_CONFIG + " must be a java.util.function.Function, but is " + given);
    }

    /**
     * The record with its ID: the same object, or a copy of it when its headers can't be written any more, because it was
     * sent before by a producer without a stamp. Such a copy's random ID isn't kept.
     *
     * @throws IllegalArgumentException when the function gives text that isn't well-formed
     */
    @Override
    public ProducerRecord<K, V> onSend(ProducerRecord<K, V> record) {
        if (record.headers().lastHeader(header) != null) {
            return record;
        }
        String id = function == null ? UUID.randomUUID().toString() : function.apply(record);
        if (id == null || id.isBlank()) {
            return record;
        }
        if (Utf8.lengthOrMinusOne(id) < 0) {
            throw new IllegalArgumentException("the ID function gave text that isn't well-formed for a record of topic "
                    + record.topic() + ": encoding would make different IDs one");
        }
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        return added(record.headers(), bytes) ? record : withHeader(record, bytes);
    }

    private boolean added(Headers headers, byte[] id) {
        try {
            headers.add(header, id);
            return true;
        } catch (IllegalStateException e) { // read-only after the first time
            return false;
        }
    }

    private ProducerRecord<K, V> withHeader(ProducerRecord<K, V> record, byte[] id) {
        ProducerRecord<K, V> copy = new ProducerRecord<>(
                record.topic(), record.partition(), record.timestamp(), record.key(), record.value(), record.headers());
        copy.headers().add(header, id);
        return copy;
    }

    @Override
    public void onAcknowledgement(@Nullable RecordMetadata metadata, @Nullable Exception exception) {}

    @Override
    public void close() {}
}
