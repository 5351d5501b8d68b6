package io.dedup.rocketmq;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.DedupMode;
import io.dedup.store.CommitResult;
import io.dedup.store.CompleteRequest;
import io.dedup.store.DedupStore;
import io.dedup.store.OperatorResult;
import io.dedup.store.RecordRequest;
import io.dedup.store.RecordResult;
import io.dedup.store.RecordTransaction;
import io.dedup.store.TransactionalRecords;
import io.dedup.store.WriteResult;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A database where handlers leave their effects, which nothing but the framework keeps from being there twice. */
final class Ledger implements AutoCloseable {
    private final SqlDatabase database = PostgresServers.newDatabase();
    private final HikariDataSource pool;
    private final JdbcTemplate sql;
    private final JdbcDedupStore table;
    private final @Nullable RedisServer redis;
    private final AtomicReference<@Nullable Function<RecordTransaction, CommitResult>> nextCommit =
            new AtomicReference<>();
    private final AtomicReference<@Nullable Runnable> nextBegin = new AtomicReference<>();
    final DedupStore store;
    final TransactionalRecords records;

    Ledger(DedupMode mode) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(16);
        config.setMinimumIdle(0);
        pool = new HikariDataSource(config);
        sql = new JdbcTemplate(pool);
        sql.execute("CREATE TABLE effect (n bigserial PRIMARY KEY, id text NOT NULL)");
        table = JdbcDedupStore.builder(pool)
                .initializeSchema(InitializeSchema.ALWAYS)
                .purgeInterval(null)
                .build();
        redis = mode == DedupMode.TIERED ? RedisServers.start() : null;
        store = redis == null
                ? table
                : RedisDedupStore.builder()
                        .uri(redis.uri())
                        .commandTimeout(Scene.COLD_CLIENT)
                        .build();
        records = new Watched(table.transactions(new JdbcTransactionManager(pool)));
    }

    /** In the transaction of the calling thread, if it has one. */
    void insert(String id) {
        sql.update("INSERT INTO effect (id) VALUES (?)", id);
    }

    /** What is committed, in the order of the inserts. */
    List<String> effects() {
        return sql.queryForList("SELECT id FROM effect ORDER BY n", String.class);
    }

    /** Redis forgets everything. */
    void flush() {
        if (redis != null) {
            redis.command("FLUSHALL");
        }
    }

    /** What happens before the next transaction is opened. */
    void nextBegin(Runnable before) {
        nextBegin.set(before);
    }

    /** What the next commit does and answers. */
    void nextCommit(Function<RecordTransaction, CommitResult> commit) {
        nextCommit.set(commit);
    }

    @Override
    public void close() {
        store.close();
        table.close();
        pool.close();
        if (redis != null) {
            redis.close();
        }
        database.close();
    }

    private final class Watched implements TransactionalRecords {
        private final TransactionalRecords real;

        private Watched(TransactionalRecords real) {
            this.real = real;
        }

        @Override
        public String name() {
            return real.name();
        }

        @Override
        public boolean holdsClaimsOf(DedupStore other) {
            return real.holdsClaimsOf(other);
        }

        @Override
        public OperatorResult forget(DedupKey key, boolean evenIfLeaseLive) {
            return real.forget(key, evenIfLeaseLive);
        }

        @Override
        public long concurrentRecords() {
            return real.concurrentRecords();
        }

        @Override
        public RecordTransaction begin(Duration timeout) {
            Runnable before = nextBegin.getAndSet(null);
            if (before != null) {
                before.run();
            }
            return new WatchedTransaction(real.begin(timeout));
        }
    }

    private final class WatchedTransaction implements RecordTransaction {
        private final RecordTransaction real;

        private WatchedTransaction(RecordTransaction real) {
            this.real = real;
        }

        @Override
        public CommitResult commit() {
            Function<RecordTransaction, CommitResult> instead = nextCommit.getAndSet(null);
            return instead == null ? real.commit() : instead.apply(real);
        }

        @Override
        public boolean isUndoneByOthers(@Nullable Throwable failure) {
            return failure instanceof UndoneException || real.isUndoneByOthers(failure);
        }

        @Override
        public List<RecordResult> claimAll(List<RecordRequest> requests) {
            return real.claimAll(requests);
        }

        @Override
        public void removeAll(List<DedupKey> keys) {
            real.removeAll(keys);
        }

        @Override
        public void keepResult(DedupKey key, byte[] result) {
            real.keepResult(key, result);
        }

        @Override
        public List<WriteResult> completeAll(List<CompleteRequest> requests) {
            return real.completeAll(requests);
        }

        @Override
        public void rollback() {
            real.rollback();
        }
    }

    /** Stands for a deadlock. */
    static final class UndoneException extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
