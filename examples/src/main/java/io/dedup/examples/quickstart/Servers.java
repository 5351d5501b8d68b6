package io.dedup.examples.quickstart;

import io.dedup.testservers.KafkaServer;
import io.dedup.testservers.KafkaServers;
import io.dedup.testservers.PostgresServers;
import io.dedup.testservers.RedisServer;
import io.dedup.testservers.RedisServers;
import io.dedup.testservers.SqlDatabase;

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
