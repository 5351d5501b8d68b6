package io.dedup.failover.load;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.failover.plan.Effect;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;

/** A PostgreSQL that doesn't fail, for scenarios in which something else does. Has the dedup table and the effects. */
public final class Postgres implements AutoCloseable {
    private static final int POOL = 5;
    private static final int TIMEOUT_MILLIS = 5_000;

    private final PostgresServer server = PostgresServers.start();
    private final SqlDatabase database = server.newDatabase();
    private final HikariDataSource pool;
    private final EffectTable effects;

    public Postgres() {
        this.pool = pool();
        this.effects = new EffectTable(pool);
        effects.create();
        JdbcDedupStore.builder(pool)
                .initializeSchema(InitializeSchema.ALWAYS)
                .build()
                .close();
    }

    /** A new pool, for one consumer; its caller closes it. */
    public HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(database.jdbcUrl());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(TIMEOUT_MILLIS);
        return new HikariDataSource(config);
    }

    public List<Effect> effects() {
        return effects.effects();
    }

    @Override
    public void close() {
        pool.close();
        server.close();
    }
}
