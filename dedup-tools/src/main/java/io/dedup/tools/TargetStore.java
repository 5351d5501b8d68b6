package io.dedup.tools;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The store that IDs are imported into. */
final class TargetStore implements AutoCloseable {
    private static final int CONNECTIONS = 2;

    private final DedupStore store;
    private final @Nullable HikariDataSource pool;

    private TargetStore(DedupStore store, @Nullable HikariDataSource pool) {
        this.store = store;
        this.pool = pool;
    }

    static boolean isRedis(String url) {
        return url.startsWith("redis:") || url.startsWith("rediss:") || url.startsWith("redis-sentinel:");
    }

    static TargetStore redis(String url, boolean cluster, String namespace, @Nullable Duration attemptRetention) {
        RedisDedupStoreBuilder builder = RedisDedupStore.builder().namespace(namespace);
        if (attemptRetention != null) {
            builder.attemptRetention(attemptRetention);
        }
        return new TargetStore((cluster ? builder.clusterUri(url) : builder.uri(url)).build(), null);
    }

    /** The table must exist: a misspelled name would otherwise create another one. */
    static TargetStore jdbc(String url, @Nullable String user, String table) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername(user);
        config.setPassword(System.getenv("DEDUP_TARGET_PASSWORD"));
        config.setMaximumPoolSize(CONNECTIONS);
        HikariDataSource pool = new HikariDataSource(config);
        try {
            return new TargetStore(
                    JdbcDedupStore.builder(pool)
                            .table(table)
                            .initializeSchema(InitializeSchema.NEVER)
                            .purgeInterval(null)
                            .build(),
                    pool);
        } catch (RuntimeException | Error e) {
            pool.close();
            throw e;
        }
    }

    DedupStore store() {
        return store;
    }

    @Override
    public void close() {
        store.close();
        if (pool != null) {
            pool.close();
        }
    }
}
