package io.dedup.benchmarks.failover;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dedup.benchmarks.jdbc.DatabaseHandling;
import io.dedup.benchmarks.subject.MessageHandling;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import io.dedup.testservers.sql.SqlPair;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * PostgreSQL with a replica that has received every commit. A manager notices after a second that the primary is gone, and
 * the driver looks for the server that accepts writes.
 */
final class ReplicatedDatabase implements FailingStore {
    private static final int POOL = 9;
    private static final int TIMEOUT_MILLIS = 5_000;
    private static final int VALIDATION_MILLIS = 1_000;
    private static final int NOTICED_MILLIS = 1_000;

    private final SqlPair pair = PostgresServers.startPair(true);
    private final DatabaseHandling handling;

    ReplicatedDatabase() {
        SqlDatabase database = pair.primary().newDatabase();
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:postgresql://127.0.0.1:" + pair.primaryPort() + ",127.0.0.1:" + pair.replicaPort() + "/"
                + database.name() + "?targetServerType=primary");
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(POOL);
        config.setConnectionTimeout(TIMEOUT_MILLIS);
        config.setValidationTimeout(VALIDATION_MILLIS);
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        handling = DatabaseHandling.on("PostgreSQL 18, synchronous replica", new HikariDataSource(config));
    }

    @Override
    public String name() {
        return handling.name();
    }

    @Override
    public Map<String, MessageHandling> ways() {
        return handling.ways();
    }

    @Override
    public void failOver() throws InterruptedException {
        pair.killPrimary();
        TimeUnit.MILLISECONDS.sleep(NOTICED_MILLIS);
        pair.promote();
    }

    @Override
    public void close() {
        handling.close();
        pair.close();
    }
}
