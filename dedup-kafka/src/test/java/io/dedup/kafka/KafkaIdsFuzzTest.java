package io.dedup.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.MissingMessageIdException;
import io.dedup.adapter.Delivery;
import io.dedup.engine.Deduplicators;
import io.dedup.fuzz.Fuzz;
import io.dedup.fuzz.Hostile;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.kafka.internal.record.RecordDeliveries;
import io.dedup.kafka.internal.record.TopicRoles;
import io.dedup.store.memory.InMemoryDedupStore;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KafkaIdsFuzzTest {
    private static final int INPUTS = 10_000;

    private final Deduplicator dedup =
            Deduplicators.builder(new InMemoryDedupStore()).consumer("billing").build();

    private static ConsumerRecord<Object, Object> record(
            List<Header> headers, @Nullable Object key, @Nullable Object value) {
        RecordHeaders all = new RecordHeaders();
        headers.forEach(all::add);
        return new ConsumerRecord<>(
                "orders", 3, 7, 0, TimestampType.CREATE_TIME, 0, 0, key, value, all, Optional.empty());
    }

    private Delivery delivery(MessageIdExtractor<? super ConsumerRecord<?, ?>> extractor, ConsumerRecord<?, ?> record) {
        RecordDeliveries deliveries = new RecordDeliveries(
                dedup, extractor, Map.of(), new TopicRoles(Map.of()), KafkaMessageIds.coordinates());
        Delivery delivery = deliveries.of(record);
        assertThat(deliveries.of(record).key()).isEqualTo(delivery.key());
        if (delivery.key() == null) {
            Fuzz.requireLogLine(String.valueOf(new MissingMessageIdException(
                            delivery.topic().scope().consumer(),
                            delivery.topic().policy(),
                            delivery.origin().get(),
                            Objects.requireNonNull(delivery.problem()))
                    .getMessage()));
        } else {
            Fuzz.requireLogLine(delivery.key().toString());
        }
        return delivery;
    }

    private @Nullable DedupKey expected(@Nullable String id) {
        return DedupKey.problemWith(id) == null ? dedup.topic("orders").scope().key(id) : null;
    }

    /** As text; null when it isn't UTF-8. */
    private static @Nullable String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    @Test
    @DisplayName("a header's ID is its UTF-8 where all headers of the name agree, and missing otherwise")
    void headers() {
        Fuzz.check("Kafka headers", INPUTS, input -> {
            String name = input.once(3) ? notBlank(input) : "order-id";
            List<Header> headers = new ArrayList<>();
            List<byte @Nullable []> ofName = new ArrayList<>();
            int number = input.below(4);
            byte[] value = input.bytes();
            for (int i = 0; i < number; i++) {
                boolean same = input.once(2);
                byte[] each = input.once(12) ? null : input.once(3) ? input.bytes() : value;
                String eachName = same ? name : input.near(name);
                headers.add(new RecordHeader(eachName, each));
                if (eachName.equals(name)) {
                    ofName.add(each);
                }
            }
            boolean agree = ofName.stream().allMatch(each -> Arrays.equals(each, ofName.get(0)));
            byte[] first = ofName.isEmpty() ? null : ofName.get(0);
            String id = agree && first != null ? text(first) : null;

            Delivery delivery = delivery(KafkaMessageIds.header(name), record(headers, null, "value"));

            assertThat(delivery.key()).isEqualTo(expected(id));
        });
    }

    private static String notBlank(Hostile input) {
        String text = input.anyText();
        return text.isBlank() ? "blank" : text;
    }

    @Test
    @DisplayName("a key's ID is its text, its UTF-8 or its number, and missing otherwise")
    void keys() {
        Fuzz.check("Kafka keys", INPUTS, input -> {
            byte[] bytes = input.bytes();
            Object key = input.oneOf(
                    null,
                    input.anyText(),
                    bytes,
                    input.anyLong(),
                    (int) input.anyLong(),
                    (short) input.anyLong(),
                    new UUID(input.anyLong(), input.anyLong()),
                    (double) input.anyLong(),
                    List.of(input.anyText()),
                    Map.of());
            String id = key == bytes
                    ? text(bytes)
                    : key == null || key instanceof Double || key instanceof List || key instanceof Map
                            ? null
                            : key.toString();

            Delivery delivery = delivery(KafkaMessageIds.key(), record(List.of(), key, "value"));

            assertThat(delivery.key()).isEqualTo(expected(id));
        });
    }

    @Test
    @DisplayName("a CloudEvent is known by source and ID, never by one of them, and never by another's pair")
    void cloudEvents() {
        Fuzz.check("CloudEvents", INPUTS, input -> {
            String source = input.text();
            String id = input.text();
            String both = source + id;
            int cut = input.below(both.length() + 1);
            boolean near = input.once(2);
            String otherSource = near ? input.near(source) : both.substring(0, cut);
            String otherId = near ? id : both.substring(cut);

            DedupKey one =
                    delivery(KafkaMessageIds.cloudEvent(), event(source, id)).key();
            DedupKey other = delivery(KafkaMessageIds.cloudEvent(), event(otherSource, otherId))
                    .key();

            assertThat(one == null).isEqualTo(source.isBlank() || id.isBlank());
            if (one != null && other != null && DedupKey.problemWith(both) == null) {
                assertThat(one.equals(other)).isEqualTo(source.equals(otherSource) && id.equals(otherId));
            }
        });
    }

    private static ConsumerRecord<Object, Object> event(String source, String id) {
        return record(
                List.of(
                        new RecordHeader("ce_source", source.getBytes(StandardCharsets.UTF_8)),
                        new RecordHeader("ce_id", id.getBytes(StandardCharsets.UTF_8))),
                null,
                null);
    }

    @Test
    @DisplayName("JSON values of every type are read or refused, and nothing else happens")
    void values() {
        Fuzz.check("Kafka values", INPUTS, input -> {
            String id = input.text();
            String json = input.oneOf("{\"id\":\"", "[{\"id\":\"", "{\"id\":{\"id\":\"", "{\"id\":1,\"id\":\"", "") + id
                    + "\"}";
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            Object value = input.oneOf(
                    null, json, bytes, input.damaged(bytes), input.bytes(), input.anyText(), 7L, Map.of("id", id));
            Delivery unused = delivery(KafkaMessageIds.json("/id"), record(List.of(), null, value));
            Delivery unusedToo = delivery(KafkaMessageIds.cloudEvent(), record(List.of(), null, value));
            DedupKey key = delivery(KafkaMessageIds.coordinates(), record(List.of(), null, value))
                    .key();
            assertThat(Objects.requireNonNull(key).messageId()).matches("orders-3-7@0-[0-9a-f]{16}");
        });
    }
}
