package io.dedup.kafka.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.DedupKey;
import io.dedup.DedupListener;
import io.dedup.Deduplicator;
import io.dedup.adapter.Delivery;
import io.dedup.adapter.DeliveryFactory;
import io.dedup.duplicate.DuplicateCause;
import io.dedup.duplicate.DuplicateDetails;
import io.dedup.duplicate.MessagePlace;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaDeliveries;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupPolicy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

@DisplayName("Why a record of a poll loop is a duplicate")
class DuplicateCauseTest {
    private static final DedupPolicy EXPLAINED = DedupPolicy.builder()
            .lease(Duration.ofSeconds(2))
            .explainDuplicates(true)
            .build();

    private final Scene scene = new Scene(1, EXPLAINED);
    private final List<String> causes = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() throws Exception {
        scene.close();
    }

    private Deduplicator process() {
        return scene.closing(Deduplicators.builder(scene.store)
                .consumer("billing")
                .defaults(EXPLAINED)
                .shutdownTimeout(Duration.ZERO)
                .listener(new DedupListener() {
                    @Override
                    public void explained(DedupKey key, DuplicateDetails details) {
                        causes.add(details.cause().tag() + " " + key.messageId() + " " + details.first() + " "
                                + details.copy());
                    }
                })
                .build());
    }

    private DedupPoll<String, String> open(KafkaConsumer<String, String> consumer) {
        return scene.open(DedupPoll.builder(process()).id(KafkaMessageIds.key()), consumer);
    }

    @Test
    @DisplayName("resent, replayed by a seek, and redelivered before the first proof of a commit")
    void causes() {
        scene.send(0, "a", "a");
        KafkaConsumer<String, String> consumer = scene.consumer(Map.of());
        DedupPoll<String, String> poll = open(consumer);
        scene.pollUntil(poll, () -> scene.committed(0) == 2);
        assertThat(causes).containsExactly("resent a 0@0 0@1");
        scene.send(0, "b");
        scene.pollUntil(poll, () -> scene.committed(0) == 3);
        consumer.seek(new TopicPartition(scene.topic, 0), 2);
        scene.pollUntil(poll, () -> causes.size() == 2);
        assertThat(causes).endsWith("replayed b 0@2 0@2");
        poll.close();

        try (KafkaConsumer<String, String> tool = scene.consumer(Map.of())) {
            tool.assign(List.of(new TopicPartition(scene.topic, 0)));
            tool.commitSync(Map.of(new TopicPartition(scene.topic, 0), new OffsetAndMetadata(0)));
        }
        DedupPoll<String, String> next = open(scene.consumer(Map.of()));
        scene.pollUntil(next, () -> causes.size() == 5);
        assertThat(causes.subList(2, 5))
                .containsExactly("redelivered a 0@0 0@0", "resent a 0@0 0@1", "replayed b 0@2 0@2");
        assertThat(scene.effects).containsExactly("a", "b");
    }

    private static KafkaDeliveries deliveries(Deduplicator dedup) {
        return new KafkaDeliveries(
                new DeliveryFactory<>(dedup::topic, KafkaMessageIds.key(), Map.of()), LoggerFactory.getLogger("test"));
    }

    @Test
    @DisplayName("polls and commits are noted only if a topic explains its duplicates")
    void costsNothingWhereOff() {
        Deduplicator mixed = scene.closing(Deduplicators.builder(scene.store)
                .consumer("billing")
                .topic("explained", policy -> policy.explainDuplicates(true))
                .build());
        KafkaDeliveries deliveries = deliveries(mixed);
        for (String topic : List.of("plain", "explained")) {
            TopicPartition partition = new TopicPartition(topic, 0);
            deliveries.polled(
                    this,
                    new ConsumerRecords<>(
                            Map.of(partition, List.of(new ConsumerRecord<>(topic, 0, 36, "a", "v"))), Map.of()));
            deliveries.committed(Map.of(partition, new OffsetAndMetadata(37)));
            assertThat(deliveries.explainsDuplicates()).as(topic).isEqualTo(topic.equals("explained"));
        }
        assertThat(deliveries
                        .of(new ConsumerRecord<>("explained", 0, 36, "a", "v"))
                        .place())
                .hasToString("0@36")
                .satisfies(place -> assertThat(place.committed()).isEqualTo(37));
        assertThat(deliveries.of(new ConsumerRecord<>("plain", 0, 36, "a", "v")).place())
                .isNull();
    }

    private static ConsumerRecord<String, String> hop(byte[]... firstPlace) {
        ConsumerRecord<String, String> record = new ConsumerRecord<>("orders-retry", 0, 7, "a", "v");
        List<String> names = List.of("kafka_original-partition", "kafka_original-offset", "kafka_original-timestamp");
        for (int i = 0; i < firstPlace.length; i++) {
            record.headers().add(names.get(i), firstPlace[i]);
        }
        return record;
    }

    private static byte[] number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }

    @Test
    @DisplayName(
            "a record of a retry topic is where it was first, and headers that say nothing usable leave it where it is")
    void hops() {
        KafkaDeliveries deliveries = deliveries(process());
        byte[] partition = ByteBuffer.allocate(Integer.BYTES).putInt(3).array();
        ConsumerRecord<String, String> first = new ConsumerRecord<>("orders", 3, 36, "a", "v");
        MessagePlace place = deliveries.of(first).place();
        Delivery hop = deliveries.of("orders", hop(partition, number(36), number(first.timestamp())));
        assertThat(hop.place()).isEqualTo(place).hasToString("3@36");
        assertThat(hop.causeAfter(place)).isEqualTo(DuplicateCause.REDELIVERED);
        for (ConsumerRecord<String, String> hostile : List.of(
                hop(),
                hop(partition),
                hop(partition, number(36)),
                hop(partition, number(-1), number(0)),
                hop(new byte[0], number(36), number(0)),
                hop("3".getBytes(StandardCharsets.UTF_8), number(36), number(0)),
                hop(partition, new byte[1_000_000], number(0)),
                hop(partition, null, number(0)))) {
            Delivery delivery = deliveries.of("orders", hostile);
            assertThat(delivery.place()).hasToString("orders-retry/0@7");
            assertThat(delivery.causeAfter(place)).isEqualTo(DuplicateCause.RESENT);
        }
        assertThat(deliveries.of(first).causeAfter(new MessagePlace("\n\u202e", Long.MAX_VALUE, 0, 5)))
                .isEqualTo(DuplicateCause.RESENT);
        assertThat(new MessagePlace("\n\u202e", 1, 0, -1)).hasToString("\\u000a\\u202e@1");
    }
}
