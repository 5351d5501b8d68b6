package io.dedup.rocketmq.remoting;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.DedupKey;
import io.dedup.LiveLease;
import io.dedup.doubles.InterceptedTransactions;
import io.dedup.policy.DedupMode;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.memory.InMemoryDedupStore;
import io.dedup.store.transaction.CommitResult;
import io.dedup.store.transaction.RecordTransaction;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;
import java.util.function.Function;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A database where handlers leave their effects, which nothing but the framework keeps from being there twice. */
final class Ledger implements AutoCloseable {
    private final SqlDatabase database = PostgresServers.newDatabase();
    private final HikariDataSource pool;
    private final JdbcTemplate sql;
    private final JdbcDedupStore table;
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
        // Not Redis: its client and this one's want different versions of Netty.
        store = mode == DedupMode.TIERED ? new InMemoryDedupStore() : table;
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

    /** The store in front forgets this. */
    void forget(DedupKey key) {
        if (store != table) {
            store.forget(key, LiveLease.OVERRIDE);
        }
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
        database.close();
    }
}
