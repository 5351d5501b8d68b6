package io.dedup.kafka.id;

import io.dedup.adapter.GroupProgress;
import io.dedup.adapter.MessageOrigin;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.MessagePlace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Where a record is. A record of a retry topic is where it was first: spring-kafka's headers say where, and a hop is no resend.
 * Doesn't keep the record: a delivery lives as long as its claim, which may be longer than the payload is needed.
 */
final class RecordOrigin implements MessageOrigin {
    private static final String FIRST_PARTITION = "kafka_original-partition";
    private static final String FIRST_OFFSET = "kafka_original-offset";
    private static final String FIRST_TIMESTAMP = "kafka_original-timestamp";

    private static final int MAX_SENDER_BYTES = 4 * MessagePlace.MAX_SENDER_CHARS;

    private final RecordPartition of;
    private final long offset;
    private final int mark;
    /** When the record was received. */
    private final GroupProgress.Known known;
    /** Null if the record is where it was first, so that its place is made of these. */
    private final @Nullable MessagePlace elsewhere;

    private final @Nullable String sender;

    /** @param senderHeader names the producer; null for none */
    RecordOrigin(String logicalTopic, ConsumerRecord<?, ?> record, RecordPartition of, @Nullable String senderHeader) {
        this.of = of;
        this.offset = record.offset();
        this.mark = mark(record, record.timestamp());
        this.known = of.known();
        this.sender = senderHeader == null ? null : sender(record.headers().lastHeader(senderHeader));
        this.elsewhere = record.topic().equals(logicalTopic) ? null : place(record, of.queue());
    }

    /** Of a record of a retry topic. */
    private static MessagePlace place(ConsumerRecord<?, ?> record, String queue) {
        ByteBuffer firstPartition = header(record, FIRST_PARTITION, Integer.BYTES);
        ByteBuffer firstOffset = header(record, FIRST_OFFSET, Long.BYTES);
        ByteBuffer firstTimestamp = header(record, FIRST_TIMESTAMP, Long.BYTES);
        if (firstPartition == null || firstOffset == null || firstTimestamp == null || firstOffset.getLong(0) < 0) {
            return new MessagePlace(
                    record.topic() + "/" + queue, record.offset(), mark(record, record.timestamp()), -1);
        }
        return new MessagePlace(
                String.valueOf(firstPartition.getInt()),
                firstOffset.getLong(),
                mark(record, firstTimestamp.getLong()),
                -1);
    }

    /** The first header of this name, if it has this size: later hops append theirs. */
    private static @Nullable ByteBuffer header(ConsumerRecord<?, ?> record, String name, int size) {
        for (Header header : record.headers().headers(name)) {
            byte[] value = header.value();
            return value != null && value.length == size ? ByteBuffer.wrap(value) : null;
        }
        return null;
    }

    /** What the log keeps with the record, because offsets begin again when a topic is deleted and made again. */
    private static int mark(ConsumerRecord<?, ?> record, long timestamp) {
        int sizes = 31 * record.serializedKeySize() + record.serializedValueSize();
        return Long.hashCode(timestamp * 0x9E3779B97F4A7C15L + sizes);
    }

    @Override
    public String get() {
        return "topic " + of.partition().topic() + ", partition " + of.queue() + ", offset " + offset;
    }

    @Override
    public MessagePlace place() {
        return elsewhere == null ? new MessagePlace(of.queue(), offset, mark, known.committed()) : elsewhere;
    }

    private static @Nullable String sender(@Nullable Header header) {
        byte[] value = header == null ? null : header.value();
        if (value == null || value.length == 0) {
            return null;
        }
        // Only the beginning is decoded: a header may have a megabyte. Bytes that aren't UTF-8 are replaced.
        int length = Math.min(value.length, MAX_SENDER_BYTES);
        return MessagePlace.cutSender(new String(value, 0, length, StandardCharsets.UTF_8));
    }

    @Override
    public @Nullable String sender() {
        return sender;
    }

    @Override
    public DuplicateCause causeAfter(MessagePlace first) {
        return place().isSame(first)
                ? of.causeOf(offset, known.isFirstInSession(offset), first.committed())
                : DuplicateCause.RESENT;
    }
}
