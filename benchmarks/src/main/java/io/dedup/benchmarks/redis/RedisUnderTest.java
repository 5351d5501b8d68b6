package io.dedup.benchmarks.redis;

import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;

/** A Redis server of one's own, a store on it, and a bare connection to it. */
record RedisUnderTest(
        RedisServer server,
        RedisDedupStore store,
        RedisClient client,
        StatefulRedisConnection<byte[], byte[]> connection)
        implements AutoCloseable {
    static RedisUnderTest start(RedisBinary binary) {
        RedisServer server = RedisServers.builder()
                .binary(binary)
                .config("maxmemory-policy", "noeviction")
                .start();
        RedisClient client = RedisClient.create(server.uri());
        return new RedisUnderTest(
                server,
                RedisDedupStore.builder().uri(server.uri()).build(),
                client,
                client.connect(ByteArrayCodec.INSTANCE));
    }

    String name() {
        return "Redis " + server.binary().version();
    }

    /** Another connection; ends with the client. */
    StatefulRedisConnection<byte[], byte[]> ownConnection() {
        return client.connect(ByteArrayCodec.INSTANCE);
    }

    @Override
    public void close() {
        store.close();
        connection.close();
        client.shutdown();
        server.close();
    }
}
