package io.dedup.rocketmq;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.doubles.InterceptedTransactions;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;
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
    final DedupStore store;
    final InterceptedTransactions records;

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
        records = new InterceptedTransactions(table.transactions(new JdbcTransactionManager(pool)));
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
        records.nextBegin(before);
    }

    /** What the next commit does and answers. */
    void nextCommit(Function<RecordTransaction, CommitResult> commit) {
        records.nextCommit(commit);
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
}
