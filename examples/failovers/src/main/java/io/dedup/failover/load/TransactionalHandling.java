package io.dedup.failover.load;

import com.zaxxer.hikari.HikariDataSource;
import io.dedup.Deduplicator;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.JdbcDedupStore;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A transactional mode; effects are rows of the same database. Closes its pool and its stores. */
public final class TransactionalHandling implements Handling {
    private final Closeables open = new Closeables();
    private final Deduplicator deduplicator;
    private final EffectTable effects;

    private TransactionalHandling(
            HikariDataSource pool, String topic, DedupMode mode, @Nullable Supplier<? extends DedupStore> front) {
        try {
            open.add(pool);
            this.effects = new EffectTable(pool);
            JdbcDedupStore table = open.add(JdbcDedupStore.builder(pool).build());
            DedupStore store = front == null ? table : open.add(front.get());
            this.deduplicator = open.add(LoadPolicy.builder(store, topic, mode)
                    .transactions(table.transactions(new JdbcTransactionManager(pool)))
                    .build());
        } catch (RuntimeException | Error e) {
            open.close();
            throw e;
        }
    }

    /** Modes TRANSACTIONAL and LEASED_TRANSACTIONAL. */
    public static TransactionalHandling of(HikariDataSource pool, String topic, DedupMode mode) {
        return new TransactionalHandling(pool, topic, mode, null);
    }

    /** Mode TIERED, with a store in front of the database's. */
    public static TransactionalHandling tiered(
            HikariDataSource pool, String topic, Supplier<? extends DedupStore> front) {
        return new TransactionalHandling(pool, topic, DedupMode.TIERED, front);
    }

    @Override
    public Deduplicator deduplicator() {
        return deduplicator;
    }

    @Override
    public void handle(String id, int attempt) {
        Work.take();
        effects.add(id, attempt);
    }

    @Override
    public void close() {
        open.close();
    }
}
