package io.dedup.ledger.consumer;

import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.id.MessageIdExtractor;
import io.dedup.kafka.KafkaDedup;
import io.dedup.kafka.id.KafkaMessageIds;
import io.dedup.ledger.plan.Circumstance;
import io.dedup.ledger.plan.Combination;
import io.dedup.ledger.plan.Row;
import io.dedup.ledger.scheme.Stores;
import io.dedup.policy.DedupMode;
import io.dedup.policy.TransactionSpan;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A mode of the framework, as a user would set it up. */
final class DedupSetup implements AutoCloseable {
    private static final int MAX_DEATHS = 4;

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final MessageIdExtractor<ConsumerRecord<?, ?>> id;
    private final Attempts attempts;
    private final String topic;
    private final KafkaDedup kafka;

    DedupSetup(
            Assignment assignment,
            Row row,
            Combination combination,
            Stores stores,
            @Nullable DataSource dataSource,
            ConsumerFaults faults)
            throws Exception {
        this.topic = Assignment.topic(assignment.run(), row);
        this.id = id(combination, faults);
        this.attempts = new Attempts(id);
        try {
            this.kafka = kafka(assignment, row, combination, stores, dataSource);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private KafkaDedup kafka(
            Assignment assignment, Row row, Combination combination, Stores stores, @Nullable DataSource dataSource) {
        JdbcDedupStore table = dataSource == null
                ? null
                : closing(JdbcDedupStore.builder(dataSource)
                        .table(stores.table("dedup"))
                        .build());
        DedupStore store = row.redisServers() == 0
                ? Objects.requireNonNull(table)
                : closing(redis(stores, assignment.run() + "-" + row.id(), combination.has(Circumstance.PACKED))
                        .build());
        DedupMode mode = row.mode().orElseThrow();
        DeduplicatorBuilder builder = Deduplicators.builder(store)
                .consumer(topic)
                .listener(attempts)
                .topic(
                        topic,
                        policy -> policy.mode(mode)
                                .transaction(row.spansPolls() ? TransactionSpan.POLL : TransactionSpan.RECORD)
                                .lease(Stores.LEASE)
                                .maxProcessingTime(Duration.ofSeconds(30))
                                .maxDeaths(combination.has(Circumstance.MAX_DEATHS) ? MAX_DEATHS : 0)
                                .inFlightWait(Duration.ofMillis(200))
                                .maxDeferDelay(Duration.ofMillis(200)));
        if (mode.isTransactional()) {
            builder.transactions(Objects.requireNonNull(table)
                    .transactions(new JdbcTransactionManager(Objects.requireNonNull(dataSource))));
        }
        return closing(KafkaDedup.builder(closing(builder.build())).id(id).build());
    }

    private static MessageIdExtractor<ConsumerRecord<?, ?>> id(Combination combination, ConsumerFaults faults) {
        var id = combination.has(Circumstance.RECREATED) ? KafkaMessageIds.coordinates() : KafkaMessageIds.header("id");
        return combination.has(Circumstance.IDS_COME_LATE)
                ? record -> faults.areIdsThere() ? id.extract(record) : null
                : id;
    }

    private static RedisDedupStoreBuilder redis(Stores stores, String namespace, boolean packed) {
        RedisDedupStoreBuilder builder = RedisDedupStore.builder()
                .uri(stores.redisUri())
                .namespace(namespace)
                .commandTimeout(Stores.REDIS_TIMEOUT);
        return packed ? builder.packed(1) : builder; // as few buckets as possible: messages share them
    }

    private <T extends AutoCloseable> T closing(T closeable) {
        open.push(closeable);
        return closeable;
    }

    KafkaDedup kafka() {
        return kafka;
    }

    Attempts attempts() {
        return attempts;
    }

    @Override
    public void close() throws Exception {
        while (!open.isEmpty()) {
            open.pop().close();
        }
    }
}
