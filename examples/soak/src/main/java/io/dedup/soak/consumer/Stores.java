package io.dedup.soak.consumer;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.soak.plan.Assignment;
import io.dedup.soak.plan.Lane;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import java.time.Duration;

/** Both stores. */
final class Stores implements AutoCloseable {
    private static final int CONNECTIONS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final HikariDataSource pool;
    private final JdbcDedupStore table;
    private final RedisDedupStore redis;

    Stores(Assignment assignment) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(assignment.jdbcUrl());
        config.setUsername(assignment.user());
        config.setPassword(assignment.password());
        config.setMaximumPoolSize(CONNECTIONS);
        config.setMinimumIdle(CONNECTIONS);
        pool = new HikariDataSource(config);
        table = JdbcDedupStore.builder(pool)
                .initializeSchema(InitializeSchema.ALWAYS)
                .purgeInterval(Duration.ofSeconds(2))
                .build();
        redis = RedisDedupStore.builder()
                .uri(assignment.redis())
                .commandTimeout(PATIENCE)
                .attemptRetention(Duration.ofHours(1))
                .build();
    }

    DedupStore of(Lane lane) {
        return lane.isDatabase() ? table : redis;
    }

    @Override
    public void close() {
        redis.close();
        table.close();
        pool.close();
    }
}
