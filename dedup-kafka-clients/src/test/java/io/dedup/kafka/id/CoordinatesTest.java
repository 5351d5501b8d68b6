package io.dedup.kafka.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.Bytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Coordinates")
class CoordinatesTest {
    private static final long TIME = 1_764_576_000_000L;

    private record Order(String id) {}

    private static ConsumerRecord<Object, Object> record(
            long time, @Nullable Object key, @Nullable Object value, int valueSize) {
        return new ConsumerRecord<>(
                "orders",
                3,
                7,
                time,
                TimestampType.CREATE_TIME,
                3,
                valueSize,
                key,
                value,
                new RecordHeaders(),
                Optional.of(1));
    }

    private static String id(ConsumerRecord<?, ?> record) {
        return Coordinates.MARKED.extract(record);
    }

    @Test
    @DisplayName("K23 records that have one place after another differ by their time, key, value or size")
    void differ() {
        List<ConsumerRecord<Object, Object>> others = List.of(
                record(TIME, "k-1", "v-1", 3),
                record(TIME + 1, "k-1", "v-1", 3),
                record(TIME, "k-2", "v-1", 3),
                record(TIME, "k-1", "v-2", 3),
                record(TIME, "k-1", null, -1),
                record(TIME, null, "k-1v-1", 3),
                record(TIME, 7L, "v-1", 3),
                record(TIME, new UUID(1, 2), "v-1", 3),
                record(TIME, "k-1", new Order("1"), 3),
                record(TIME, "k-1", new Order("1"), 4));
        assertThat(others.stream().map(CoordinatesTest::id)).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("a redelivery has the same: with other headers, without the leader's epoch, by another deserializer")
    void redelivered() {
        ConsumerRecord<Object, Object> first = record(TIME, "k-1", "grün", 5);
        byte[] bytes = "grün".getBytes(StandardCharsets.UTF_8);
        ConsumerRecord<Object, Object> withHeader = record(TIME, "k-1", "grün", 5);
        withHeader.headers().add("traceparent", new byte[] {1});
        assertThat(List.of(
                        withHeader,
                        record(TIME, "k-1", bytes, 5),
                        record(TIME, "k-1".getBytes(StandardCharsets.UTF_8), Bytes.wrap(bytes), 5),
                        record(TIME, CharBuffer.wrap("k-1"), CharBuffer.wrap("grün"), 5)))
                .allSatisfy(each -> assertThat(id(each)).isEqualTo(id(first)));
        assertThat(id(record(TIME, null, new Order("1"), 9))).isEqualTo(id(record(TIME, null, new Order("1"), 9)));
        assertThat(id(first)).matches("orders-3-7@1764576000000-[0-9a-f]{16}");
    }

    @Test
    @DisplayName("objects are distinguished by the times and sizes of their records only")
    void objects() {
        String id = id(record(TIME, "k-1", new Order("1"), 9));
        assertThat(id(record(TIME, "k-1", new Order("2"), 9))).isEqualTo(id);
        assertThat(id(record(TIME, "k-1", new Order("2"), 10))).isNotEqualTo(id);
        assertThat(id(record(TIME + 1, "k-1", new Order("2"), 9))).isNotEqualTo(id);
    }

    @Test
    @DisplayName("the IDs of records from before an upgrade are topic, partition and offset, as they were")
    void upgraded() {
        Coordinates since = Coordinates.markedSince(Instant.ofEpochMilli(TIME));
        assertThat(since.extract(record(TIME - 1, "k-1", "v-1", 3))).isEqualTo("orders-3-7");
        assertThat(since.extract(record(ConsumerRecord.NO_TIMESTAMP, "k-1", "v-1", 3)))
                .isEqualTo("orders-3-7");
        ConsumerRecord<Object, Object> later = record(TIME, "k-1", "v-1", 3);
        assertThat(since.extract(later)).isEqualTo(id(later));
    }
}
