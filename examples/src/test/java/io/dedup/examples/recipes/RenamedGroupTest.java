package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.admin.Admin;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/** docs/recipes/renamed-group.md, on a real Kafka. */
class RenamedGroupTest {
    private final RecipeDatabase database = new RecipeDatabase();
    private final List<String> booked = new CopyOnWriteArrayList<>();

    @BeforeEach
    void createTopic() {
        RecipeKafka.createTopic("transfers");
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** An application: a deduplicator and a listener, which reads in the name of a group. */
    private final class Application implements AutoCloseable {
        private final Deduplicator deduplicator;
        private final KafkaDedup dedup;
        private final ConcurrentMessageListenerContainer<String, String> container;

        Application(Deduplicator deduplicator, String group, String autoOffsetReset) {
            this.deduplicator = deduplicator;
            this.dedup = KafkaDedup.builder(deduplicator)
                    .id(KafkaMessageIds.header("transfer-id"))
                    .build();
            this.container = RecipeKafka.listen(
                    dedup, group, autoOffsetReset, List.of("transfers"), record -> booked.add(record.value()));
        }

        @Override
        public void close() {
            container.stop();
            dedup.close();
            deduplicator.close();
        }
    }

    @Test
    void aNewGroupKeepsTheRecordsOfTheOldName() throws Exception {
        try (var old = new Application(underTheOldName(), "ledger", "earliest")) {
            send("t-1");
            send("t-2");
            RecipeKafka.awaitConsumed("ledger", "transfers");
        }
        send("t-3"); // while nobody reads

        try (Admin admin = RecipeKafka.admin()) {
            RenamedGroup.copyOffsets(admin, "ledger", "ledger-v2");
        }
        try (var renamed = new Application(underTheOldName(), "ledger-v2", "latest")) {
            RecipeKafka.awaitConsumed("ledger-v2", "transfers");
        }
        assertThat(booked).containsExactly("t-1", "t-2", "t-3");

        try (var fromTheStart = new Application(underTheOldName(), "ledger-v3", "earliest");
                var besideIt = new Application(underTheOldName(), "ledger-v2", "latest")) {
            for (int transfer = 4; transfer < 24; transfer++) {
                send("t-" + transfer);
            }
            RecipeKafka.awaitConsumed("ledger-v3", "transfers");
            RecipeKafka.awaitConsumed("ledger-v2", "transfers");
        }
        assertThat(booked).hasSize(23).doesNotHaveDuplicates();

        booked.clear();
        try (var newName = new Application(
                Deduplicators.builder(database.store()).consumer("ledger-v4").build(), "ledger-v4", "earliest")) {
            RecipeKafka.awaitConsumed("ledger-v4", "transfers");
        }
        assertThat(booked).as("with another consumer name").hasSize(23);
    }

    private Deduplicator underTheOldName() {
        return RenamedGroup.deduplicator(database.store());
    }

    private static void send(String id) throws Exception {
        RecipeKafka.send("transfers", "transfer-id", id, id);
    }
}
