package io.dedup.kafka.id;

import io.dedup.id.IdText;
import io.dedup.id.JsonPointerId;
import io.dedup.id.MessageIdExtractor;
import io.dedup.id.UnusableIdException;
import io.dedup.text.Printable;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * Ready-made extractors that read the message ID from a record. They are thread-safe and don't guess: if the ID is
 * absent, ambiguous or not text, it counts as missing, and the topic's {@code OnMissingId} policy applies.
 */
public final class KafkaMessageIds {
    private KafkaMessageIds() {}

    /**
     * Reads the ID from a header, as UTF-8. The ID is missing when the header is absent, isn't valid UTF-8, or occurs
     * several times with different values.
     *
     * @throws IllegalArgumentException when the name is blank
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> header(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("header(name): the header name must not be blank");
        }
        return MessageIdExtractor.named(
                "header " + Printable.of(name), record -> IdText.of(onlyHeader(record, name), "header " + name));
    }

    /**
     * Reads the ID from the record's key: text of any class, UTF-8 bytes, an integer number, a {@code UUID} or an enum
     * constant.
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> key() {
        return MessageIdExtractor.named("key", record -> IdText.of(unwrapped(record.key()), "the key"));
    }

    /**
     * Reads the string or integer at a given place of a JSON value that arrives as text or bytes.
     *
     * @param pointer a JSON Pointer (RFC 6901), such as {@code /payment/id}
     * @throws IllegalArgumentException when the pointer is invalid
     * @throws IllegalStateException when Jackson's core isn't on the class path
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> json(String pointer) {
        JsonPointerId id = JsonPointerId.of(pointer);
        return MessageIdExtractor.named(
                "string or integer at JSON Pointer " + Printable.of(pointer), record -> inJson(record, id));
    }

    /**
     * Joins source and ID of a CloudEvent, which its specification requires to be unique together: the headers
     * {@code ce_source} and {@code ce_id}, or otherwise {@code /source} and {@code /id} of a JSON value. The ID is
     * missing when either is missing.
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
     * Uses topic, partition and offset, and a mark of the record there: its time and a digest of its key and value. This
     * recognizes records that the broker redelivers, but not a message that was sent twice. The mark distinguishes
     * records that have the same offset one after the other, for example because the topic was deleted and made again.
     *
     * <p>Keys and values that aren't text, numbers, UUIDs or bytes count with their serialized sizes only, so that the
     * time has to distinguish them.
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> coordinates() {
        return Coordinates.MARKED;
    }

    /**
     * As {@link #coordinates()}, for a store with records of a version whose coordinates had no mark: records from
     * before this time have topic, partition and offset alone as their ID, so that what was handled stays known. Choose
     * a time at which every instance has the new version, and remove it when the window has passed since. Until then a
     * record that is older than this time, in a topic that was made again, is mistaken for the one that had its offset.
     */
    public static MessageIdExtractor<ConsumerRecord<?, ?>> coordinatesMarkedSince(Instant upgraded) {
        return Coordinates.markedSince(upgraded);
    }

    private static byte @Nullable [] onlyHeader(ConsumerRecord<?, ?> record, String name) {
        byte[] found = null;
        boolean any = false;
        for (Header header : record.headers().headers(name)) {
            byte[] value = header.value();
            if (any && !Arrays.equals(found, value)) {
                throw new UnusableIdException("header " + name + " occurs several times with different values");
            }
            found = value;
            any = true;
        }
        return found;
    }

    private static @Nullable Object unwrapped(@Nullable Object keyOrValue) {
        return keyOrValue instanceof Bytes bytes ? bytes.get() : keyOrValue;
    }

    private static @Nullable String inJson(ConsumerRecord<?, ?> record, JsonPointerId id) {
        Object value = unwrapped(record.value());
        if (value instanceof CharSequence text) {
            return id.find(text.toString());
        }
        if (value instanceof byte[] bytes) {
            return id.find(bytes);
        }
        if (value instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.remaining()];
            buffer.duplicate().get(bytes);
            return id.find(bytes);
        }
        if (value != null) {
            throw new UnusableIdException("the value is a " + value.getClass().getName()
                    + ", but KafkaMessageIds.json(...) reads text and bytes only");
        }
        throw new UnusableIdException(
                KafkaDeliveries.failedDeserialization(record)
                        ? "the value couldn't be deserialized"
                        : "the record has no value (tombstone)");
    }
}
