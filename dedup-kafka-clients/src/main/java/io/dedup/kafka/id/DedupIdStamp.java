package io.dedup.kafka.id;

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
 * A producer interceptor that adds a message ID header to records without one, so that consumers recognize records that
 * an application sends again. The counterpart on the consumer's side is {@link KafkaMessageIds#header}. A record that
 * already has the header isn't changed. Thread-safe.
 *
 * <p>Which records consumers recognize:
 *
 * <ul>
 *   <li>With an ID function: all records for which it returns the same ID, whichever process sends them and however
 *       often.
 *   <li>Without a function: the same {@link ProducerRecord} object, sent again, and records that are copied with their
 *       headers, as a dead-letter recoverer does. Not a second {@code template.send(topic, value)}, which creates
 *       another object, and not a record that another process, or this process after a restart, sends again.
 * </ul>
 *
 * <p>The producer's own retries don't need an ID: the broker recognizes them ({@code enable.idempotence}, which is on
 * by default).
 *
 * <p>To use it with a {@code KafkaTemplate}, call {@code template.setProducerInterceptor(stamp)}; {@code send} then
 * throws whatever the function throws. To use it with all producers of a factory, set {@code interceptor.classes} to
 * this class, and {@value #HEADER_CONFIG} and {@value #FUNCTION_CONFIG} beside it. In that case Kafka logs exceptions
 * of the function and sends the record without an ID, and the consumer's {@code OnMissingId} policy decides about it.
 */
public final class DedupIdStamp<K, V> implements ProducerInterceptor<K, V> {
    /** The header's name if none is configured. */
    public static final String DEFAULT_HEADER = "dedup-id";

    /** Producer setting: the header's name. */
    public static final String HEADER_CONFIG = "dedup.id.header";

    /**
     * Producer setting: a {@code Function<ProducerRecord<K, V>, String>}, or the name of a class that implements it and
     * has a public constructor without parameters.
     */
    public static final String FUNCTION_CONFIG = "dedup.id.function";

    private String header;
    private @Nullable Function<? super ProducerRecord<K, V>, @Nullable String> function;

    /**
     * For {@code interceptor.classes}. Without further settings it adds random IDs in the header
     * {@value #DEFAULT_HEADER}.
     */
    public DedupIdStamp() {
        this.header = DEFAULT_HEADER;
    }

    private DedupIdStamp(String header, @Nullable Function<? super ProducerRecord<K, V>, @Nullable String> function) {
        this.header = requireName("header", header);
        this.function = function;
    }

    /** Returns an interceptor that adds a random ID to each {@link ProducerRecord} object. */
    public static <K, V> DedupIdStamp<K, V> random(String header) {
        return new DedupIdStamp<>(header, null);
    }

    /**
     * Returns an interceptor that computes IDs from the records.
     *
     * @param function must always return the same ID for the same business message, and different IDs for different
     *     messages: if two messages share an ID, the second one isn't handled. Returns null or a blank text to leave a
     *     record without an ID. Called by any thread
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
            throw new IllegalArgumentException(setting + ": the header name must not be blank");
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
                    "Cannot create " + FUNCTION_CONFIG + " \"" + given
                            + "\": the class must exist and have a public constructor without parameters",
                    e);
        }
        throw new IllegalArgumentException(FUNCTION_CONFIG + " must be a java.util.function.Function, but is " + given);
    }

    /**
     * Adds the ID, unless the record has the header or the function returns no ID. Returns the same object; or a copy,
     * if the record's headers are read-only because a producer without this interceptor has sent it before. The random
     * ID of such a copy isn't kept for the next time.
     *
     * @throws IllegalArgumentException when the function returns text that isn't well-formed Unicode
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
            throw new IllegalArgumentException(
                    "The ID function returned malformed Unicode (an unpaired surrogate) for a record of topic "
                            + record.topic()
                            + ". Such text has no UTF-8 form of its own: different IDs would become the same");
        }
        byte[] bytes = id.getBytes(StandardCharsets.UTF_8);
        return added(record.headers(), bytes) ? record : withHeader(record, bytes);
    }

    private boolean added(Headers headers, byte[] id) {
        try {
            headers.add(header, id);
            return true;
        } catch (IllegalStateException e) { // headers are read-only once the record was sent
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
