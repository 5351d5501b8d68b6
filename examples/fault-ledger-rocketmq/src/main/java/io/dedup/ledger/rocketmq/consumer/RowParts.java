package io.dedup.ledger.rocketmq.consumer;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.Deduplicator;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.engine.Deduplicators;
import io.dedup.ledger.consumer.CountingClient;
import io.dedup.ledger.consumer.SimulatedHandler;
import io.dedup.ledger.rocketmq.plan.Circumstances;
import io.dedup.ledger.rocketmq.plan.RocketRow;
import io.dedup.ledger.scheme.Stores;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** All that one row's consumer needs, whatever its client is; closed in the opposite order of its making. */
final class RowParts implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(RowParts.class);
    private static final Duration LONGEST_RUN = Duration.ofSeconds(30);
    private static final Duration REDIS_TIMEOUT =
            Duration.ofSeconds(2); // less than the lease, for a machine that is busy

    final RocketRow row;
    final Circumstances circumstances;
    final String topic;
    final String group;
    final SimulatedHandler handler;
    final CountingClient acknowledgments;
    private final Optional<Deduplicator> dedup;
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    RowParts(Assignment assignment, Assignment.Place place) {
        row = place.row();
        circumstances = assignment.circumstances(place);
        topic = Assignment.topic(assignment.run(), row);
        group = Assignment.group(assignment.run(), row);
        acknowledgments = new CountingClient(assignment.acknowledgmentsPort(), row.id());
        Stores stores = assignment.stores(place);
        try {
            HikariDataSource pool = row.mode().database() ? closing(stores.pool()) : null;
            handler = new SimulatedHandler(
                    effect(assignment, stores, pool), row.mode().isTransactional());
            dedup = row.mode().dedup().map(mode -> deduplicator(assignment, mode, stores, pool));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    private SimulatedHandler.Effect effect(Assignment assignment, Stores stores, @Nullable HikariDataSource pool) {
        if (row.mode().isTransactional() && pool != null) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            String insert = "INSERT INTO " + stores.table("effect") + " (id, attempt) VALUES (?, ?)";
            return (id, attempt) -> jdbc.update(insert, id, attempt);
        }
        return new CountingClient(assignment.effectsPort(), row.id())::count;
    }

    private Deduplicator deduplicator(
            Assignment assignment, DedupMode mode, Stores stores, @Nullable HikariDataSource pool) {
        JdbcDedupStore table = pool == null
                ? null
                : closing(JdbcDedupStore.builder(pool)
                        .table(stores.table("dedup"))
                        .build());
        DedupStore store = row.mode().redis()
                ? closing(RedisDedupStore.builder()
                        .uri(stores.redisUri())
                        .namespace(assignment.run() + "-" + row.id())
                        .commandTimeout(REDIS_TIMEOUT)
                        .build())
                : Objects.requireNonNull(table);
        DeduplicatorBuilder builder = Deduplicators.builder(store)
                .consumer(group)
                .topic(
                        topic,
                        policy -> policy.mode(mode)
                                .lease(Stores.LEASE)
                                .maxProcessingTime(LONGEST_RUN)
                                .inFlightWait(circumstances.patience())
                                .maxDeferDelay(circumstances.patience()));
        if (mode.isTransactional()) {
            builder.transactions(Objects.requireNonNull(table)
                    .transactions(new JdbcTransactionManager(Objects.requireNonNull(pool))));
        }
        return closing(builder.build());
    }

    /** Empty for a handler as it is. */
    Optional<Deduplicator> dedup() {
        return dedup;
    }

    <T extends AutoCloseable> T closing(T closeable) {
        open.push(closeable);
        return closeable;
    }

    @Override
    public void close() {
        while (!open.isEmpty()) {
            try {
                open.pop().close();
            } catch (Exception e) {
                log.warn("closing {}", topic, e);
            }
        }
    }
}
