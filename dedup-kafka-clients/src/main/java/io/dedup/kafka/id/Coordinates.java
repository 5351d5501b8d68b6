package io.dedup.kafka.id;

import io.dedup.id.MessageIdExtractor;
import io.dedup.text.Utf8;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HexFormat;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * The ID of a record by its place: topic, partition, offset, and a mark of the record itself. The place alone is no
 * identity, because offsets return: a topic is deleted and made again, a broker is restored from an older copy of its
 * disk, an unclean leader election cuts a partition off, the application moves to another cluster. The mark is what the
 * log keeps with the record and no redelivery changes: its time, its sizes, and its key and value if they are text or
 * bytes. Headers aren't part of it, because tracing writes new ones with each delivery. Thread-safe.
 */
final class Coordinates implements MessageIdExtractor<ConsumerRecord<?, ?>> {
    /** Marks every record. */
    static final Coordinates MARKED = new Coordinates(Long.MIN_VALUE);

    private static final int MARK_BYTES = 8; // only records of one place and one millisecond are compared by them

    private final long since;

    private Coordinates(long since) {
        this.since = since;
    }

    /** Marks records of this time and later; the IDs of older ones are their places alone. */
    static Coordinates markedSince(Instant since) {
        return new Coordinates(since.toEpochMilli());
    }

    @Override
    public String extract(ConsumerRecord<?, ?> record) {
        String place = record.topic() + "-" + record.partition() + "-" + record.offset();
        return record.timestamp() < since ? place : place + "@" + record.timestamp() + "-" + content(record);
    }

    private static String content(ConsumerRecord<?, ?> record) {
        byte[] key = digest(record.key());
        byte[] value = digest(record.value());
        ByteBuffer both = ByteBuffer.allocate(4 * Integer.BYTES + key.length + value.length);
        both.putInt(record.serializedKeySize()).putInt(key.length).put(key);
        both.putInt(record.serializedValueSize()).putInt(value.length).put(value);
        return HexFormat.of().formatHex(Utf8.sha256(both.array()), 0, MARK_BYTES);
    }

    /** Empty if the same bytes may become different objects of this type, so that only their size counts. */
    private static byte[] digest(@Nullable Object content) {
        if (content instanceof byte[] bytes) {
            return Utf8.sha256(bytes);
        }
        if (content instanceof Bytes bytes) {
            return Utf8.sha256(bytes.get());
        }
        boolean isText = content instanceof CharSequence
                || content instanceof Long
                || content instanceof Integer
                || content instanceof UUID;
        return isText ? Utf8.sha256(String.valueOf(content).getBytes(StandardCharsets.UTF_8)) : new byte[0];
    }
}
