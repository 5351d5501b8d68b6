package io.dedup.kafka.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dedup.Deduplicator;
import io.dedup.engine.Deduplicators;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.policy.DedupMode;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

@DisplayName("A poll loop in mode TRANSACTIONAL")
class TransactionTest {
    @ParameterizedTest(name = "in batches: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("commits effect and record together, and rolls both back when the handler fails")
    void together(boolean batches) throws Exception {
        JdbcConnectionPool database =
                JdbcConnectionPool.create("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", "sa", "");
        JdbcTemplate sql = new JdbcTemplate(database);
        sql.execute("CREATE TABLE effect (id VARCHAR(20))");
        try (Scene scene = new Scene(1);
                JdbcDedupStore store = JdbcDedupStore.builder(database)
                        .initializeSchema(InitializeSchema.ALWAYS)
                        .build();
                Deduplicator deduplicator = Deduplicators.builder(store)
                        .consumer("billing")
                        .topic(scene.topic, policy -> policy.mode(DedupMode.TRANSACTIONAL))
                        .transactions(store.transactions(new DataSourceTransactionManager(database)))
                        .build()) {
            AtomicInteger failures = new AtomicInteger();
            scene.send(0, "a", "bad", "a", "c");
            DedupPoll<String, String> poll = scene.closing(DedupPoll.builder(deduplicator)
                    .id(KafkaMessageIds.key())
                    .retryDelay(Duration.ofMillis(20), Duration.ofMillis(50))
                    .open(scene.consumer(Map.of()), List.of(scene.topic)));
            RecordHandler<String, String> handler = record -> {
                sql.update("INSERT INTO effect VALUES (?)", record.value());
                if (record.value().equals("bad") && failures.incrementAndGet() == 1) {
                    throw new IllegalStateException("fails");
                }
            };
            await().pollInSameThread().until(() -> {
                int unused = batches
                        ? poll.pollBatch(Scene.SHORT, records -> handler.handle(records.get(0)))
                        : poll.poll(Scene.SHORT, handler);
                return scene.committed(0) == 4;
            });
            assertThat(failures).hasValue(2);
            assertThat(sql.queryForList("SELECT id FROM effect", String.class)).containsExactly("a", "bad", "c");
        }
    }
}
