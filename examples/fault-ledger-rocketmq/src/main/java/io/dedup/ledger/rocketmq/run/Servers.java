package io.dedup.ledger.rocketmq.run;

import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.rocketmq.RocketMqServer;
import io.dedup.testservers.rocketmq.RocketMqServers;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;

/** RocketMQ and the stores, each a process of its own. Restarts forget nothing. */
public final class Servers implements AutoCloseable {
    private static final String ORDERLY_LOCK_MILLIS = "5000";

    private static final int STARTS = 4;

    private final RocketMqServer broker;
    private final RedisServer redis = RedisServers.builder()
            .config("appendonly", "yes")
            .config("appendfsync", "always")
            .start();
    private final PostgresServer postgres = PostgresServers.builder()
            .setting("max_connections", "600")
            .setting("idle_in_transaction_session_timeout", "10s")
            .start();
    private final SqlDatabase database = postgres.newDatabase();

    /** @param renewing whether the proxy keeps messages invisible as long as a push consumer has them */
    public Servers(boolean renewing) {
        RocketMqServer.Builder builder = RocketMqServers.builder()
                // By default a killed orderly consumer keeps its queues locked for a minute.
                .systemProperty("rocketmq.broker.rebalance.lockMaxLiveTime", ORDERLY_LOCK_MILLIS);
        if (!renewing) {
            builder.proxySetting("defaultInvisibleTimeMills", "3000").proxySetting("renewAheadTimeMillis", "-3600000");
        }
        broker = builder.start();
    }

    RocketMqServer broker() {
        return broker;
    }

    SqlDatabase database() {
        return database;
    }

    int postgresPort() {
        return postgres.port();
    }

    int redisPort() {
        return redis.port();
    }

    void killBroker() {
        broker.kill();
        startBroker();
    }

    /** In an orderly way. */
    void restartBroker() {
        broker.shutDown();
        startBroker();
    }

    /** On a machine that is busy it may not answer in time at first. */
    private void startBroker() {
        for (int i = 1; !broker.isRunning(); i++) {
            try {
                broker.start();
            } catch (IllegalStateException e) {
                if (i == STARTS) {
                    throw e;
                }
            }
        }
    }

    /** All of them; by SIGKILL, or in an orderly way. */
    void restartStores(boolean kill) {
        if (kill) {
            redis.kill();
            redis.start();
            postgres.kill();
            postgres.start();
        } else {
            redis.restart();
            postgres.restart();
        }
    }

    void flushRedis() {
        redis.command("FLUSHALL");
    }

    @Override
    public void close() {
        broker.close();
        redis.close();
        postgres.close();
    }
}
