package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/recipes/dead-letters.md, on a real Kafka. */
class DeadLetterReplayTest {
    private final RecipeDatabase database = new RecipeDatabase();
    private final Counts counts = new Counts();
    private final List<String> handled = new CopyOnWriteArrayList<>();
    private final AtomicBoolean mended = new AtomicBoolean();

    @BeforeEach
    void createTopics() {
        RecipeKafka.createTopic("refunds");
        RecipeKafka.createTopic("refunds-dlt");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void aDeadLetterIsHandledOnceAfterItsCauseIsMended() throws Exception {
        try (Deduplicator refunding = Deduplicators.builder(database.store())
                        .consumer("refunding")
                        .listener(counts)
                        .build();
                KafkaDedup dedup = KafkaDedup.builder(refunding)
                        .id(KafkaMessageIds.header("refund-id"))
                        .build()) {
            var container = RecipeKafka.listen(
                    dedup, "refunding", "earliest", List.of("refunds"), record -> refund(record.value()));
            RecipeKafka.send("refunds", "refund-id", "r-1", "1 EUR");
            RecipeKafka.send("refunds", "refund-id", "r-2", "2 EUR");
            RecipeKafka.send("refunds", "refund-id", "r-3", "3 EUR");
            RecipeKafka.awaitConsumed("refunding", "refunds");
            awaitDeadLetters(1);

            assertThat(replay()).isEqualTo(1); // too early: it fails again, and ends there again
            awaitDeadLetters(2);
            assertThatThrownBy(() -> DeadLetterReplay.replay(
                            Map.of("bootstrap.servers", RecipeKafka.servers(), "max.block.ms", 500),
                            "refunds-dlt",
                            "no-such-topic"))
                    .hasCauseInstanceOf(TimeoutException.class);
            mended.set(true);
            assertThat(replay()).isEqualTo(1);
            RecipeKafka.awaitConsumed("refunding", "refunds");
            assertThat(handled).containsExactly("1 EUR", "3 EUR", "2 EUR");

            assertThat(replay()).isZero();
            rewind();
            assertThat(replay()).isEqualTo(2); // by mistake
            RecipeKafka.awaitConsumed("refunding", "refunds");
            container.stop();
        }

        assertThat(handled).containsExactly("1 EUR", "3 EUR", "2 EUR");
        assertThat(counts.duplicates).containsExactly("r-2", "r-2");
        assertThat(counts.runs).containsExactly("r-1#1", "r-2#1", "r-2#2", "r-3#1", "r-2#3", "r-2#4", "r-2#5");
    }

    private void refund(String amount) {
        if (amount.equals("2 EUR") && !mended.get()) {
            throw new IllegalStateException("refused, for the test");
        }
        handled.add(amount);
    }

    private static void awaitDeadLetters(long number) {
        await().atMost(Duration.ofMinutes(3)).until(() -> RecipeKafka.end("refunds-dlt") == number);
    }

    private static void rewind() throws Exception {
        try (Admin admin = RecipeKafka.admin()) {
            admin.alterConsumerGroupOffsets(
                            "replay-of-refunds-dlt",
                            Map.of(new TopicPartition("refunds-dlt", 0), new OffsetAndMetadata(0)))
                    .all()
                    .get();
        }
    }

    private static int replay() throws Exception {
        return DeadLetterReplay.replay(Map.of("bootstrap.servers", RecipeKafka.servers()), "refunds-dlt", "refunds");
    }
}
