package io.dedup.examples.quickstart;

import io.dedup.testservers.kafka.KafkaServer;
import io.dedup.testservers.kafka.KafkaServers;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.dedup.testservers.sql.PostgresServers;
import io.dedup.testservers.sql.SqlDatabase;

/** A real broker, a real dedup store and a real business database, each a process of its own. */
record Servers(KafkaServer kafka, RedisServer redis, SqlDatabase database) implements AutoCloseable {

    static Servers start() {
        return new Servers(KafkaServers.start(), RedisServers.start(), PostgresServers.newDatabase());
    }

    String bootstrapServers() {
        return kafka.bootstrapServers();
    }

    String redisUri() {
        return redis.uri();
    }

    @Override
    public void close() {
        try (kafka;
                redis;
                database) {
            // closed in this order, each even if another fails
        }
    }
}
