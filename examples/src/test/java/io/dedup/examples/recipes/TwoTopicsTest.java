package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.DedupStore;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/recipes/two-topics.md, on a real Kafka. */
class TwoTopicsTest {
    private final RecipeDatabase database = new RecipeDatabase();
    private final List<String> booked = new CopyOnWriteArrayList<>();

    @BeforeEach
    void createTopics() {
        RecipeKafka.createTopic("bookings");
        RecipeKafka.createTopic("bookings-v2");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void oneIdOnTwoTopicsIsHandledOnce() throws Exception {
        try (var application = RecipeKafka.application(context -> {
            context.registerBean(DedupStore.class, database::store, bean -> bean.setDestroyMethodName(""));
            context.registerBean(TwoTopics.class, () -> new TwoTopics(booked::add));
        })) {
            send("bookings", "b-1");
            send("bookings-v2", "b-1");
            send("bookings-v2", "b-2");
            send("bookings", "b-2");
            send("bookings", "b-3");
            send("bookings-v2", "b-4");
            RecipeKafka.awaitConsumed("booking", "bookings", "bookings-v2");
        }
        assertThat(booked).containsExactlyInAnyOrder("b-1", "b-2", "b-3", "b-4");
        booked.clear();
        anotherApplicationMayReadOneOfThem();
        theIdMayBeElsewhereOnOneOfThem();
    }

    private void anotherApplicationMayReadOneOfThem() {
        Counts counts = new Counts();
        try (Deduplicator booking = Deduplicators.builder(database.store())
                        .consumer("booking")
                        .listener(counts)
                        .build();
                KafkaDedup dedup = KafkaDedup.builder(booking)
                        .id(KafkaMessageIds.header("booking-id"))
                        .retryTopic("bookings-v2", "bookings")
                        .build()) {
            var container = RecipeKafka.listen(
                    dedup, "new-app", "earliest", List.of("bookings-v2"), record -> booked.add(record.value()));
            RecipeKafka.awaitConsumed("new-app", "bookings-v2");
            container.stop();
        }
        assertThat(booked).isEmpty();
        assertThat(counts.duplicates).containsExactly("b-1", "b-2", "b-4");
    }

    private void theIdMayBeElsewhereOnOneOfThem() throws Exception {
        Counts counts = new Counts();
        try (Admin admin = RecipeKafka.admin()) {
            RenamedGroup.copyOffsets(admin, "booking", "by-key"); // from here on
        }
        try (Deduplicator booking = Deduplicators.builder(database.store())
                        .consumer("by-key")
                        .listener(counts)
                        .build();
                KafkaDedup dedup = KafkaDedup.builder(booking)
                        .id("bookings", TwoTopics.BOOKING_ID) // asked for both
                        .retryTopic("bookings-v2", "bookings")
                        .build()) {
            var container = RecipeKafka.listen(
                    dedup,
                    "by-key",
                    "earliest",
                    List.of("bookings", "bookings-v2"),
                    record -> booked.add(record.value()));
            send("bookings", "b-5");
            RecipeKafka.template()
                    .send(new ProducerRecord<>("bookings-v2", "b-5", "b-5"))
                    .get();
            RecipeKafka.awaitConsumed("by-key", "bookings", "bookings-v2");
            container.stop();
        }
        assertThat(booked).containsExactly("b-5");
        assertThat(counts.duplicates).containsExactly("b-5");
    }

    private static void send(String topic, String id) throws Exception {
        RecipeKafka.send(topic, "booking-id", id, id);
    }
}
