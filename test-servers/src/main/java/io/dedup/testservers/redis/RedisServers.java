package io.dedup.testservers.redis;

import io.dedup.testservers.Settings;

/** Entry to everything about Redis. Thread-safe. */
public final class RedisServers {

    private RedisServers() {}

    /**
     * The server that the tests of this JVM share; use keys of your own. By {@code -Ddedup.test.redis=redis://host:port}
     * or {@code DEDUP_TEST_REDIS}, else in a container, else embedded.
     */
    public static RedisAddress shared() {
        return Shared.ADDRESS;
    }

    /** A new embedded server, with defaults. */
    public static RedisServer start() {
        return builder().start();
    }

    /** A builder of a new embedded server. */
    public static RedisServer.Builder builder() {
        return RedisServer.builder();
    }

    /** A master and one replica, watched by three sentinels. */
    public static RedisSentinels startSentinels(RedisBinary binary) {
        return RedisSentinels.start(binary);
    }

    /** A cluster of three masters without replicas. */
    public static RedisCluster startCluster(RedisBinary binary) {
        return RedisCluster.start(binary);
    }

    /** A cluster of three masters with a replica each. */
    public static RedisCluster startReplicatedCluster(RedisBinary binary) {
        return RedisCluster.startReplicated(binary);
    }

    private static final class Shared {
        static final RedisAddress ADDRESS = Settings.get("redis")
                .map(RedisAddress::parse)
                .or(RedisContainer::start)
                .orElseGet(() -> start().address());
    }
}
