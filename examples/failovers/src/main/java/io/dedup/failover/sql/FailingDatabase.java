package io.dedup.failover.sql;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.failover.load.EffectTable;
import io.dedup.failover.plan.Effect;
import io.dedup.failover.plan.Outage;
import io.dedup.store.jdbc.InitializeSchema;
import io.dedup.store.jdbc.JdbcDedupStore;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.sql.SqlDatabase;
import io.dedup.testservers.sql.SqlPair;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/**
 * A primary that is killed repeatedly, each time in another way: with a replica that has received everything, or
 * nothing of the last moments; with connections that break, or that silently stay open; and the
 * clients' address moves before the replica is promoted, so that they reach a read-only server, or afterwards.
 */
final class FailingDatabase implements AutoCloseable {
    private static final int POOL = 5;
    private static final int TIMEOUT_MILLIS = 5_000;
    /** A fifth, so that all connections of the pool can be found dead within one attempt to get one. */
    private static final int VALIDATION_MILLIS = 1_000;
    /** Longer than any handler and its commit; without it a thread waits for a server that is gone as long as TCP does. */
    private static final Duration SILENCE = Duration.ofSeconds(12);

    private static final long CUT_MILLIS = 600;
    private static final long READ_ONLY_MILLIS = 1_500;
    private static final int LEAST_NOTICED_MILLIS = 300;
    private static final int MOST_NOTICED_MILLIS = 5_000;

    private final SqlScenario scenario;
    private final SqlPair pair;
    private final TcpProxy proxy;
    private final String name;
    private final Random random;

    FailingDatabase(SqlScenario scenario, long seed) {
        this.scenario = scenario;
        this.random = new Random(seed);
        this.pair = scenario.product().start(scenario.synchronous());
        this.proxy = TcpProxy.to(pair.primaryPort());
        try {
            this.name = pair.primary().newDatabase().name();
            try (HikariDataSource pool = pool()) {
                new EffectTable(pool).create();
                JdbcDedupStore.builder(pool)
                        .initializeSchema(InitializeSchema.ALWAYS)
                        .build()
                        .close();
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /** A new pool, for one consumer; its caller closes it. */
    HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url());
        config.setUsername(primary().user());
        config.setPassword(primary().password());
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(TIMEOUT_MILLIS);
        config.setValidationTimeout(VALIDATION_MILLIS);
        config.addDataSourceProperty("socketTimeout", scenario.product().socketTimeout(SILENCE));
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        return new HikariDataSource(config);
    }

    private SqlDatabase primary() {
        return new SqlDatabase(pair.primary(), name);
    }

    private String url() {
        return switch (scenario.address()) {
            case MOVED -> primary().jdbcUrlThrough(proxy.port());
            case ALL_SERVERS ->
                "jdbc:postgresql://127.0.0.1:" + pair.primaryPort() + ",127.0.0.1:" + pair.replicaPort() + "/" + name
                        + "?targetServerType=primary";
        };
    }

    Outage failOver() throws InterruptedException {
        boolean cut = random.nextBoolean();
        boolean silent = scenario.address() == Address.MOVED && random.nextInt(3) == 0;
        boolean addressFirst = scenario.address() == Address.MOVED && random.nextBoolean();
        long from = System.currentTimeMillis();
        if (cut) {
            pair.cutReplica();
            TimeUnit.MILLISECONDS.sleep(CUT_MILLIS);
        }
        long begin = System.currentTimeMillis();
        if (silent) {
            proxy.halfOpen();
        }
        pair.killPrimary();
        TimeUnit.MILLISECONDS.sleep(random.nextInt(LEAST_NOTICED_MILLIS, MOST_NOTICED_MILLIS));
        int promoted = pair.replicaPort();
        if (addressFirst) {
            proxy.retarget("127.0.0.1", promoted);
            TimeUnit.MILLISECONDS.sleep(READ_ONLY_MILLIS);
        }
        pair.promote();
        proxy.retarget("127.0.0.1", promoted);
        TimeUnit.MILLISECONDS.sleep(READ_ONLY_MILLIS); // a new replica isn't there at once
        pair.replaceReplica();
        return new Outage(
                "primary killed" + (cut ? ", replica behind" : "") + (silent ? ", unnoticed by clients" : "")
                        + (addressFirst ? ", address moved to a server that is still read-only" : ""),
                scenario.synchronous() ? Long.MAX_VALUE : from,
                begin,
                System.currentTimeMillis());
    }

    /** Those that the primary of now has. */
    List<Effect> effects() {
        SqlDatabase now = primary();
        return new EffectTable(new DriverManagerDataSource(now.jdbcUrl(), now.user(), now.password())).effects();
    }

    @Override
    public void close() {
        proxy.close();
        pair.close();
    }
}
