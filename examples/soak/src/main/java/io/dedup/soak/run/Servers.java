package io.dedup.soak.run;

import io.dedup.soak.plan.Lane;
import io.dedup.testkit.faults.TcpProxy;
import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServer;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;

/** A broker, and the stores behind proxies, which cut connections. */
final class Servers implements AutoCloseable {
    static final int PARTITIONS = 4;

    final KafkaServer kafka = KafkaServers.builder()
            .setting("log.retention.check.interval.ms", "5000")
            // A busy machine makes it miss the few seconds that tests wait for.
            .setting("broker.session.timeout.ms", "60000")
            .start();
    private final RedisServer redis = RedisServers.start();
    private final PostgresServer postgres = PostgresServers.start();
    final SqlDatabase database = postgres.newDatabase();
    final TcpProxy toRedis = TcpProxy.to(redis.port());
    final TcpProxy toDatabase = TcpProxy.to(postgres.port());

    /** Topics keep a few hundred thousand records, far more than are ever waiting. */
    void createTopics() {
        for (Lane lane : Lane.values()) {
            kafka.address()
                    .createTopic(
                            lane.id(),
                            PARTITIONS,
                            Map.of(
                                    "retention.bytes",
                                    "64000000",
                                    "segment.bytes",
                                    "16000000",
                                    "file.delete.delay.ms",
                                    "1000"));
        }
    }

    String redisUri() {
        return "redis://127.0.0.1:" + toRedis.port();
    }

    String jdbcUrl() {
        return database.jdbcUrlThrough(toDatabase.port());
    }

    /** Without the connection that asks. */
    int redisConnections() {
        return Integer.parseInt(redisInfo("clients", "connected_clients")) - 1;
    }

    long redisBytes() {
        return Long.parseLong(redisInfo("memory", "used_memory"));
    }

    long redisKeys() {
        return Long.parseLong(redis.command("DBSIZE"));
    }

    private String redisInfo(String section, String name) {
        return redis.command("INFO", section)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    /** Without the connection that asks. */
    int databaseConnections() throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(
                        "SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()")) {
            result.next();
            return result.getInt(1);
        }
    }

    @Override
    public void close() {
        toRedis.close();
        toDatabase.close();
        redis.close();
        postgres.close();
        kafka.close();
    }
}
