package io.dedup.store.jdbc.support;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcDialect;
import io.dedup.store.jdbc.internal.sql.Micros;
import io.dedup.testkit.fixture.StoreFixture;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Two clients of one table of a {@link GenericEngine}. Time is moved by making the records older. */
public final class GenericFixture implements StoreFixture {
    private static final Map<GenericEngine, HikariDataSource> POOLS = new ConcurrentHashMap<>();

    private final HikariDataSource pool;
    private final JdbcDedupStore store;
    private final JdbcDedupStore second;

    public GenericFixture(GenericEngine engine) {
        this.pool = POOLS.computeIfAbsent(engine, GenericFixture::open);
        execute("DELETE FROM dedup_record");
        this.store = store(engine);
        this.second = store(engine);
    }

    private static HikariDataSource open(GenericEngine engine) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(engine.url());
        config.setMaximumPoolSize(20);
        HikariDataSource pool = new HikariDataSource(config);
        execute(pool, engine.schema().toArray(String[]::new));
        return pool;
    }

    private JdbcDedupStore store(GenericEngine engine) {
        return TestDatabase.patient(JdbcDedupStore.builder(pool)
                        .dialect(JdbcDialect.GENERIC)
                        .clockQuery(engine.clockQuery())
                        .initializeSchema(InitializeSchema.NEVER)
                        .purgeInterval(null))
                .build();
    }

    private static void execute(HikariDataSource pool, String... statements) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String sql) {
        execute(pool, sql);
    }

    @Override
    public DedupStore store() {
        return store;
    }

    @Override
    public DedupStore secondInstance() {
        return second;
    }

    @Override
    public boolean keepsSteps() {
        return true;
    }

    @Override
    public boolean erases() {
        return true;
    }

    @Override
    public void advance(Duration by) {
        long micros = Micros.of(by);
        execute("UPDATE dedup_record SET lease_until = lease_until - " + micros + ", completed_at = completed_at - "
                + micros + ", expires_at = CASE WHEN expires_at = " + Micros.NEVER
                + " THEN expires_at ELSE expires_at - " + micros + " END");
    }

    @Override
    public void purge() {
        store.purgeExpired(Integer.MAX_VALUE);
    }

    @Override
    public void close() {
        store.close();
        second.close();
    }
}
