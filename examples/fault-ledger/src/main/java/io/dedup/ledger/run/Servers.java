package io.dedup.ledger.run;

import io.dedup.ledger.consumer.Assignment;
import io.dedup.ledger.plan.Row;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** A broker and the stores, each a process of its own. Restarts forget nothing. */
public final class Servers implements AutoCloseable {
    private final KafkaServer kafka = KafkaServers.builder()
            // On a busy machine the controller must not consider its only broker dead.
            .setting("broker.session.timeout.ms", "120000")
            // For the groups whose partitions the broker assigns; the others bring their own.
            .setting("group.consumer.session.timeout.ms", "1500")
            .setting("group.consumer.heartbeat.interval.ms", "300")
            // For Kafka transactions that a killed process leaves open.
            .setting("transaction.abort.timed.out.transaction.cleanup.interval.ms", "1000")
            .setting("group.share.delivery.count.limit", Integer.toString(Assignment.SHARE_DELIVERIES))
            .start();
    private final List<RedisServer> redis;
    private final PostgresServer postgres = PostgresServers.builder()
            .setting("max_connections", "400")
            .setting("idle_in_transaction_session_timeout", "10s")
            .start();
    private SqlDatabase database = postgres.newDatabase();

    public Servers(Collection<Row> rows) {
        int count = rows.stream().mapToInt(Row::redisServers).max().orElse(0);
        redis = IntStream.range(0, count)
                .mapToObj(which -> RedisServers.builder()
                        .config("appendonly", "yes")
                        .config("appendfsync", "always")
                        .start())
                .toList();
    }

    /** Makes a new database, so that a pass doesn't see the data of the one before. */
    void renew() {
        database = postgres.newDatabase();
    }

    KafkaServer kafka() {
        return kafka;
    }

    SqlDatabase database() {
        return database;
    }

    int postgresPort() {
        return postgres.port();
    }

    int redisPort(int which) {
        return redis.get(which).port();
    }

    /** All of them; by SIGKILL, or in an orderly way. */
    void restartStores(boolean kill) {
        for (RedisServer server : redis) {
            restart(kill, server::kill, server::restart, server::start);
        }
        restart(kill, postgres::kill, postgres::restart, postgres::start);
    }

    private static void restart(boolean kill, Runnable killing, Runnable restarting, Runnable starting) {
        if (kill) {
            killing.run();
            starting.run();
        } else {
            restarting.run();
        }
    }

    void flushRedis() {
        redis.forEach(server -> server.command("FLUSHALL"));
    }

    /** To the first one. */
    String redis(String... command) {
        return redis.get(0).command(command);
    }

    @Override
    public void close() {
        redis.forEach(RedisServer::close);
        postgres.close();
        kafka.close();
    }
}
