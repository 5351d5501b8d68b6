package io.dedup.kafka;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.policy.DedupMode;
import io.dedup.policy.DedupPolicy;
import io.dedup.store.DedupStore;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.store.jdbc.JdbcTransactions;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.store.redis.RedisDedupStoreBuilder;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.MariaDbServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** A database of its own, with a table of effects that has no key: nothing but the framework prevents doubles. */
final class Ledger implements AutoCloseable {
    final SqlDatabase database;
    final HikariDataSource pool;
    final JdbcTemplate jdbc;
    final JdbcTransactionManager manager;
    final JdbcDedupStore table;
    final JdbcTransactions transactions;

    private Ledger(SqlDatabase database, int poolSize, UnaryOperator<String> url) {
        this.database = database;
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url.apply(database.jdbcUrl()));
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(poolSize);
        config.setConnectionTimeout(5_000);
        this.pool = new HikariDataSource(config);
        this.jdbc = new JdbcTemplate(pool);
        this.manager = new JdbcTransactionManager(pool);
        jdbc.execute("CREATE TABLE effect (id varchar(100) NOT NULL)");
        this.table = JdbcDedupStore.builder(pool)
                .initializeSchema(InitializeSchema.ALWAYS)
                .purgeInterval(null)
                .build();
        this.transactions = table.transactions(manager);
    }

    static Ledger postgres() {
        return new Ledger(PostgresServers.newDatabase(), 12, url -> url);
    }

    /** Behind a proxy, to a server that this looks up. */
    static Ledger postgres(AtomicReference<@Nullable TcpProxy> proxy) {
        return new Ledger(PostgresServers.newDatabase(), 4, url -> {
            Matcher address = Pattern.compile("//([^:/]+):(\\d+)/").matcher(url);
            if (!address.find()) {
                throw new IllegalStateException(url);
            }
            TcpProxy made = TcpProxy.to(address.group(1), Integer.parseInt(address.group(2)));
            proxy.set(made);
            // So that what is sent can be recognized: the driver would name a COMMIT that it has prepared.
            String through = address.replaceFirst("//127.0.0.1:" + made.port() + "/");
            return through + (through.contains("?") ? "&" : "?") + "prepareThreshold=0";
        });
    }

    static Ledger mariaDb() {
        return new Ledger(MariaDbServers.newDatabase(), 12, url -> url);
    }

    /** A scene in one of the transactional modes; its store is closed with it. */
    Scene scene(DedupMode mode, int partitions, UnaryOperator<DedupPolicy.Builder> changes) {
        DedupStore store = mode == DedupMode.TIERED ? redis() : table;
        return new Scene(store, transactions, partitions, policy -> changes.apply(policy.mode(mode)));
    }

    Scene tiered(RedisDedupStore front) {
        return new Scene(front, transactions, 1, policy -> policy.mode(DedupMode.TIERED));
    }

    Scene scene(DedupMode mode) {
        return scene(mode, 1, policy -> policy);
    }

    static RedisDedupStore redis() {
        return redis("tiered-" + UUID.randomUUID()).build();
    }

    static RedisDedupStoreBuilder redis(String namespace) {
        return RedisDedupStore.builder()
                .uri(RedisServers.shared().uri())
                .commandTimeout(Scene.COLD_CLIENT)
                .namespace(namespace);
    }

    /** An effect of a handler, in whatever transaction the thread has. */
    void effect(String id) {
        jdbc.update("INSERT INTO effect (id) VALUES (?)", id);
    }

    /** What was committed, in no order. */
    List<String> effects() {
        return jdbc.queryForList("SELECT id FROM effect ORDER BY id", String.class);
    }

    @Override
    public void close() {
        pool.close();
        database.close();
    }
}
