package io.dedup.examples.recipes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** docs/recipes/dead-letters.md, "Behind newer state", on a real Kafka and PostgreSQL. */
class AddressListenerTest {
    private final Counts counts = new Counts();
    private final AtomicBoolean mended = new AtomicBoolean();

    @Test
    void aDeadLetterThatIsReplayedAfterANewerMessageChangesNothing() throws Exception {
        RecipeKafka.createTopic("addresses");
        RecipeKafka.createTopic("addresses-dlt");
        try (RecipeDatabase database = new RecipeDatabase().withTablesOf("dead-letters.md");
                Deduplicator moving = Deduplicators.builder(database.store())
                        .consumer("moving")
                        .listener(counts)
                        .build();
                KafkaDedup dedup = KafkaDedup.builder(moving)
                        .id(KafkaMessageIds.header("message-id"))
                        .build()) {
            AddressListener listener = new AddressListener(database.jdbc());
            var container = RecipeKafka.listen(
                    dedup, "moving", "earliest", List.of("addresses"), record -> move(listener, record));
            send("m-1", 1, "Old Street");
            send("m-2", 2, "New Street");
            RecipeKafka.awaitConsumed("moving", "addresses");
            await().atMost(Duration.ofMinutes(3)).until(() -> RecipeKafka.end("addresses-dlt") == 1);

            mended.set(true);
            assertThat(DeadLetterReplay.replay(
                            Map.of("bootstrap.servers", RecipeKafka.servers()), "addresses-dlt", "addresses"))
                    .isEqualTo(1);
            RecipeKafka.awaitConsumed("moving", "addresses");
            container.stop();

            assertThat(counts.runs).last().asString().startsWith("m-1#"); // it was handled, and is done
            assertThat(database.jdbc().queryForList("SELECT address FROM customer", String.class))
                    .containsExactly("New Street");
        }
    }

    private void move(AddressListener listener, ConsumerRecord<String, String> record) {
        String version = header(record, "version");
        if (version.equals("1") && !mended.get()) {
            throw new IllegalStateException("refused, for the test");
        }
        listener.move(record.value(), header(record, "customer-id"), version);
    }

    private static String header(ConsumerRecord<String, String> record, String name) {
        return new String(record.headers().lastHeader(name).value(), UTF_8);
    }

    private static void send(String id, int version, String address) {
        ProducerRecord<String, String> record = new ProducerRecord<>("addresses", address);
        record.headers()
                .add("message-id", id.getBytes(UTF_8))
                .add("customer-id", "c-1".getBytes(UTF_8))
                .add("version", Integer.toString(version).getBytes(UTF_8));
        RecipeKafka.template().send(record).join();
    }
}
