package io.dedup.failover.sql;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.Deduplicator;
import io.dedup.engine.DeduplicatorBuilder;
import io.dedup.failover.load.Closeables;
import io.dedup.failover.load.EffectLog;
import io.dedup.failover.load.EffectTable;
import io.dedup.failover.load.Handling;
import io.dedup.failover.load.LoadPolicy;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** A consumer whose records are in the database. Closes its pool. */
final class SqlHandling implements Handling {
    private static final Duration REDIS_TIMEOUT = Duration.ofSeconds(5);
    private static final long MOST_NANOS = TimeUnit.MILLISECONDS.toNanos(6);

    private final Closeables open;
    private final Deduplicator deduplicator;
    private final ObjIntConsumer<String> effect;

    private SqlHandling(Closeables open, DeduplicatorBuilder builder, ObjIntConsumer<String> effect) {
        this.open = open;
        this.deduplicator = open.add(builder.build());
        this.effect = effect;
    }

    /** Effects that are counted outside of the database. */
    static SqlHandling leased(HikariDataSource pool, String topic, EffectLog log) {
        return opened(
                pool,
                (open, table) -> new SqlHandling(open, LoadPolicy.builder(table, topic, DedupMode.LEASED), log::add));
    }

    /**
     * Effects that are rows of the database.
     *
     * @param front of mode TIERED
     * @param committed gets each message whose effect was committed
     */
    static SqlHandling transactional(
            HikariDataSource pool, String topic, DedupMode mode, @Nullable RedisServer front, CommitLog committed) {
        return opened(pool, (open, table) -> {
            DedupStore store = front == null
                    ? table
                    : open.add(RedisDedupStore.builder()
                            .uri(front.uri())
                            .commandTimeout(REDIS_TIMEOUT)
                            .build());
            EffectTable rows = new EffectTable(pool);
            return new SqlHandling(
                    open,
                    LoadPolicy.builder(store, topic, mode)
                            .transactions(table.transactions(new JdbcTransactionManager(pool))),
                    (id, attempt) -> {
                        rows.add(id, attempt);
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                committed.add(id);
                            }
                        });
                    });
        });
    }

    private interface Opening {
        SqlHandling on(Closeables open, JdbcDedupStore table);
    }

    private static SqlHandling opened(HikariDataSource pool, Opening opening) {
        Closeables open = new Closeables();
        open.add(pool);
        try {
            return opening.on(open, open.add(JdbcDedupStore.builder(pool).build()));
        } catch (RuntimeException | Error e) {
            open.close();
            throw e;
        }
    }

    @Override
    public Deduplicator deduplicator() {
        return deduplicator;
    }

    @Override
    public void handle(String id, int attempt) {
        long until = System.nanoTime() + ThreadLocalRandom.current().nextLong(MOST_NANOS);
        long left;
        while ((left = until - System.nanoTime()) > 0) {
            LockSupport.parkNanos(left);
        }
        effect.accept(id, attempt);
    }

    @Override
    public void close() {
        open.close();
    }
}
