package io.dedup.kafka;

import io.dedup.id.JsonPointerId;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.text.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Finds the business ID in a record. All of these are thread-safe, and none guesses: what isn't there, is ambiguous or
 * isn't text counts as a missing ID, about which the topic's policy decides.
 */
public final class KafkaMessageIds {
    private KafkaMessageIds() {}

    /**
     * A header's value as UTF-8. Missing when the header is absent, isn't UTF-8, or is there several times with
     * different values.
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> header(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("header: the name of the header must not be blank");
        }
        return MessageIdExtractor.named(
                "header " + Printable.of(name), record -> text(onlyHeader(record, name), "header " + name));
    }

    /** The record's key: text, UTF-8 bytes, an integer number or a UUID. */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> key() {
        return MessageIdExtractor.named("key", KafkaMessageIds::keyOf);
    }

    /**
     * The string or integer at a place of a JSON value that arrives as text or as bytes.
     *
     * @param pointer a JSON Pointer (RFC 6901), such as {@code /payment/id}
     * @throws IllegalArgumentException when it isn't one
     * @throws IllegalStateException when Jackson's core isn't on the class path
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> json(String pointer) {
        JsonPointerId id = JsonPointerId.of(pointer);
        return MessageIdExtractor.named(
                "string or integer at JSON Pointer " + Printable.of(pointer), record -> inJson(record, id));
    }

    /**
     * Source and ID of a CloudEvent, the pair that its specification calls unique: the headers {@code ce_source} and
     * {@code ce_id}, or else {@code /source} and {@code /id} of a JSON value. Missing when either is.
     *
     * @throws IllegalStateException when Jackson's core isn't on the class path
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> cloudEvent() {
        var binary = MessageIdExtractor.<ConsumerRecord<?, ?>>composite(List.of(header("ce_source"), header("ce_id")));
        var structured = MessageIdExtractor.<ConsumerRecord<?, ?>>composite(List.of(json("/source"), json("/id")));
        return new CloudEventId(binary, structured);
    }

    private record CloudEventId(
            MessageIdExtractor<ConsumerRecord<?, ?>> binary, MessageIdExtractor<ConsumerRecord<?, ?>> structured)
            implements MessageIdExtractor<ConsumerRecord<?, ?>> {
        private MessageIdExtractor<ConsumerRecord<?, ?>> of(ConsumerRecord<?, ?> record) {
            boolean headers = record.headers().lastHeader("ce_id") != null
                    || record.headers().lastHeader("ce_source") != null;
            return headers ? binary : structured;
        }

        @Override
        public @Nullable String extract(ConsumerRecord<?, ?> record) {
            return of(record).extract(record);
        }

        @Override
        public String source(ConsumerRecord<?, ?> record) {
            return of(record).source(record);
        }
    }

    /**
     * Where the record is: topic, partition and offset. Recognises what the broker delivers again, but nothing that
     * was sent twice.
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> coordinates() {
        return RecordDeliveries::coordinates;
    }

    private static byte @Nullable [] onlyHeader(ConsumerRecord<?, ?> record, String name) {
        byte[] found = null;
        boolean any = false;
        for (Header header : record.headers().headers(name)) {
            byte[] value = header.value();
            if (any && !Arrays.equals(found, value)) {
                throw new IllegalArgumentException(
                        "header " + name + " is ambiguous: it is there several times with different values");
            }
            found = value;
            any = true;
        }
        return found;
    }

    private static @Nullable String keyOf(ConsumerRecord<?, ?> record) {
        Object key = record.key();
        if (key == null || key instanceof String) {
            return (String) key;
        }
        if (key instanceof byte[] bytes) {
            return text(bytes, "the key");
        }
        if (key instanceof Long || key instanceof Integer || key instanceof Short || key instanceof UUID) {
            return key.toString();
        }
        throw new IllegalArgumentException(
                "the key is a " + key.getClass().getName() + ", which has no one text; write an extractor for it");
    }

    private static @Nullable String inJson(ConsumerRecord<?, ?> record, JsonPointerId id) {
        Object value = record.value();
        if (value instanceof String text) {
            return id.find(text);
        }
        if (value instanceof byte[] bytes) {
            return id.find(bytes);
        }
        if (value != null) {
            throw new IllegalArgumentException("the value is a "
                    + value.getClass().getName() + "; a JSON Pointer works on String and byte[] values");
        }
        throw new IllegalArgumentException(
                RecordDeliveries.failedDeserialization(record)
                        ? "the value couldn't be deserialized"
                        : "there is no value (a tombstone)");
    }

    private static @Nullable String text(byte @Nullable [] bytes, String where) {
        if (bytes == null) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new IllegalArgumentException(where + " isn't UTF-8", e);
        }
    }
}
