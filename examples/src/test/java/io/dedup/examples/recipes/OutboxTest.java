package io.dedup.examples.recipes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.dedup.DedupKey;
import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.process.ChildJvm;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** docs/recipes/outbox.md, on a real Kafka and a real PostgreSQL. */
class OutboxTest {
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final RecipeDatabase database = new RecipeDatabase().withTablesOf("outbox.md");
    private final Counts counts = new Counts();

    @BeforeAll
    static void createTopics() {
        RecipeKafka.createTopic("orders");
        RecipeKafka.createTopic("invoices");
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void neitherRowIsLeftByAFailureOrACrashAndAReplayAddsNone() throws Exception {
        crashAfterBothRows();
        assertThat(database.count("invoice")).isZero();
        assertThat(database.count("outbox")).isZero();
        assertThat(database.count("dedup_record")).isZero();

        FailingOnce jdbc = new FailingOnce(database.dataSource(), "INSERT INTO outbox");
        try (Deduplicator billing = billing(database.store(), database.dataSource(), counts);
                KafkaDedup dedup = KafkaDedup.builder(billing)
                        .id(KafkaMessageIds.header("order-id"))
                        .build()) {
            try (var application = RecipeKafka.application(context -> {
                context.register(RecipeKafka.Starter.class);
                context.registerBean(KafkaDedup.class, () -> dedup);
                context.registerBean(OrderListener.class, () -> new OrderListener(jdbc));
            })) {
                RecipeKafka.send("orders", "order-id", "o-1", "42 EUR"); // the broker delivers it again
                RecipeKafka.send("orders", "order-id", "o-1", "42 EUR"); // the producer sends it again
                RecipeKafka.send("orders", "order-id", "o-2", "7 EUR");
                RecipeKafka.awaitConsumed("billing", "orders");
            }
        }

        assertThat(jdbc.failed).isTrue();
        assertThat(jdbc.foundBefore).containsExactly(0L, 0L, 2L); // the second try finds nothing of the first one
        assertThat(counts.duplicates).containsExactly("o-1");
        assertThat(ids("SELECT order_id FROM invoice ORDER BY order_id")).containsExactly("o-1", "o-2");
        assertThat(ids("SELECT message_id FROM outbox ORDER BY id")).containsExactly("invoice-o-1", "invoice-o-2");
        assertThat(database.count("dedup_record")).isEqualTo(2);
        relaysAtLeastOnceUnderOneId();
    }

    /** The relay dies after it has sent, and before it has deleted. */
    private void relaysAtLeastOnceUnderOneId() {
        OutboxRelay dying = relay(new FailingOnce(database.dataSource(), "DELETE"));
        assertThatThrownBy(dying::publish).hasMessage("failed once, for the test");
        assertThat(database.count("outbox")).isEqualTo(2);

        relay(database.jdbc()).publish();
        assertThat(database.count("outbox")).isZero();
        assertThat(messageIds("invoices", 4))
                .containsExactly("invoice-o-1", "invoice-o-2", "invoice-o-1", "invoice-o-2");

        database.jdbc().update("INSERT INTO outbox (message_id, topic, payload) VALUES ('i', 'no-such-topic', 'p')");
        KafkaTemplate<String, String> impatient = RecipeKafka.template(500);
        assertThatThrownBy(relay(database.jdbc(), impatient)::publish).hasRootCauseInstanceOf(KafkaException.class);
        impatient.destroy();
        assertThat(database.count("outbox")).isEqualTo(1);
    }

    @Test
    void aRelayWhoseSendsCommitAfterItsDeletesIsRefused() {
        DefaultKafkaProducerFactory<String, String> producers = new DefaultKafkaProducerFactory<>(Map.of());
        producers.setTransactionIdPrefix("relay-");

        assertThatIllegalArgumentException().isThrownBy(() -> relay(database.jdbc(), new KafkaTemplate<>(producers)));
    }

    private OutboxRelay relay(JdbcTemplate jdbc) {
        return relay(jdbc, RecipeKafka.template());
    }

    private OutboxRelay relay(JdbcTemplate jdbc, KafkaTemplate<String, String> kafka) {
        return new OutboxRelay(
                jdbc, new TransactionTemplate(new DataSourceTransactionManager(database.dataSource())), kafka);
    }

    private List<String> ids(String query) {
        return database.jdbc().queryForList(query, String.class);
    }

    private static List<String> messageIds(String topic, int expected) {
        List<String> ids = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(
                Map.of("bootstrap.servers", RecipeKafka.servers()),
                new StringDeserializer(),
                new StringDeserializer())) {
            List<TopicPartition> partitions = List.of(new TopicPartition(topic, 0));
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            await().atMost(LIMIT).until(() -> {
                for (ConsumerRecord<String, String> each : consumer.poll(Duration.ofMillis(100))) {
                    byte[] id = Objects.requireNonNull(each.headers().lastHeader("message-id"))
                            .value();
                    ids.add(new String(id, StandardCharsets.UTF_8));
                }
                return ids.size() >= expected;
            });
        }
        return ids;
    }

    private void crashAfterBothRows() throws Exception {
        Process consumer = ChildJvm.start(CrashingConsumer.class, database.address());
        assertThat(consumer.waitFor()).isEqualTo(CrashingConsumer.CRASHED);
    }

    static Deduplicator billing(JdbcDedupStore store, DataSource dataSource, Counts counts) {
        return Deduplicators.builder(store)
                .transactions(store.transactions(new DataSourceTransactionManager(dataSource)))
                .consumer("billing")
                .topic("orders", policy -> policy.mode(DedupMode.TRANSACTIONAL))
                .listener(counts)
                .build();
    }

    /** A process that ends, as by kill -9, when its handler has written both rows. */
    static final class CrashingConsumer {
        static final int CRASHED = 137;

        private CrashingConsumer() {}

        public static void main(String[] args) {
            DataSource dataSource = RecipeDatabase.pool(args[0], args[1], args[2]);
            OrderListener listener = new OrderListener(new JdbcTemplate(dataSource));
            JdbcDedupStore store = JdbcDedupStore.builder(dataSource).build();
            Deduplicator billing = billing(store, dataSource, new Counts());
            DedupKey order = billing.key("orders", "o-1");
            billing.execute(order, context -> {
                listener.bill("42 EUR", "o-1");
                Runtime.getRuntime().halt(CRASHED);
                return null;
            });
        }
    }

    /** Counts what is there before each run, and fails once after a statement. */
    private static final class FailingOnce extends JdbcTemplate {
        private final String statement;
        final List<Long> foundBefore = new CopyOnWriteArrayList<>();
        volatile boolean failed;

        FailingOnce(DataSource dataSource, String statement) {
            super(dataSource);
            this.statement = statement;
        }

        @Override
        public int update(String sql, Object... values) {
            if (sql.startsWith("INSERT INTO invoice")) {
                foundBefore.add(Objects.requireNonNull(queryForObject(
                        "SELECT (SELECT count(*) FROM invoice) + (SELECT count(*) FROM outbox)", Long.class)));
            }
            int rows = super.update(sql, values);
            if (!failed && sql.startsWith(statement)) {
                failed = true;
                throw new IllegalStateException("failed once, for the test");
            }
            return rows;
        }
    }
}
