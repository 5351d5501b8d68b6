package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.process.ChildJvm;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** docs/recipes/card-processor.md: a consumer is killed between the charge and its record. */
class CardListenerTest {
    private final RecipeDatabase database = new RecipeDatabase();
    private final CardProcessor processor;
    private final Counts counts = new Counts();

    CardListenerTest() throws Exception {
        processor = new CardProcessor();
    }

    @BeforeEach
    void createTopic() {
        RecipeKafka.createTopic("payments");
    }

    @AfterEach
    void close() {
        processor.close();
        database.close();
    }

    @Test
    void theSecondAttemptIsAnsweredWithTheFirstCharge() throws Exception {
        String[] address = database.address();
        CompletableFuture<Process> killed = new CompletableFuture<>();
        processor.afterCharge(() -> killed.join().destroyForcibly());
        Process consumer = ChildJvm.start(
                KilledConsumer.class,
                address[0],
                address[1],
                address[2],
                processor.address().toString());
        killed.complete(consumer);
        assertThat(consumer.waitFor()).isNotZero();
        assertThat(processor.charges).containsExactly("42 EUR");
        processor.afterCharge(this::failOnce); // its answer to p-2 is lost

        try (Deduplicator charging = charging(database.store(), counts);
                KafkaDedup dedup = KafkaDedup.builder(charging)
                        .id(KafkaMessageIds.header("payment-id"))
                        .build()) {
            try (var application = RecipeKafka.application(context -> {
                context.register(RecipeKafka.Starter.class);
                context.registerBean(KafkaDedup.class, () -> dedup);
                context.registerBean(CardListener.class, () -> new CardListener(processor.address()));
            })) {
                RecipeKafka.send("payments", "payment-id", "p-1", "42 EUR");
                RecipeKafka.send("payments", "payment-id", "p-1", "42 EUR");
                RecipeKafka.send("payments", "payment-id", "p-2", "7 EUR");
                RecipeKafka.send("payments", "payment-id", "p-3", CardProcessor.DECLINED);
                RecipeKafka.awaitConsumed("charging", "payments");
            }
        }

        assertThat(counts.duplicates).containsExactly("p-1");
        assertThat(counts.runs).containsExactly("p-1#2", "p-2#1", "p-2#2", "p-3#1");
        assertThat(processor.requests).containsExactly("p-1", "p-1", "p-2", "p-2", "p-3");
        assertThat(processor.charges).containsExactly("42 EUR", "7 EUR");
    }

    private void failOnce() {
        if (processor.charges.size() == 2) {
            processor.afterCharge(() -> {});
            throw new IllegalStateException("answers nothing, for the test");
        }
    }

    private static Deduplicator charging(JdbcDedupStore store, Counts counts) {
        return Deduplicators.builder(store)
                .consumer("charging")
                .topic("payments", policy -> policy.lease(Duration.ofSeconds(2)).maxDeferDelay(Duration.ofMillis(200)))
                .listener(counts)
                .build();
    }

    /** The processor kills it when it has charged the card. */
    static final class KilledConsumer {
        private KilledConsumer() {}

        public static void main(String[] args) throws Exception {
            JdbcDedupStore store = JdbcDedupStore.builder(RecipeDatabase.pool(args[0], args[1], args[2]))
                    .build();
            CardListener listener = new CardListener(URI.create(args[3]));
            Deduplicator charging = charging(store, new Counts());
            charging.execute(charging.key("payments", "p-1"), context -> {
                listener.charge("42 EUR", "p-1", context);
                return null;
            });
        }
    }
}
