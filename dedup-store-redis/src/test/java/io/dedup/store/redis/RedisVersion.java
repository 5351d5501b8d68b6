package io.dedup.store.redis;

import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;

/** The servers that behave differently. */
enum RedisVersion {
    REDIS_6_2,
    REDIS_7;

    /** Skips the test, saying why, where there is no such program. */
    RedisServer.Builder server() {
        return RedisServers.builder().binary(binary());
    }

    /** Skips the test, saying why, where there is no such program. */
    RedisBinary binary() {
        return this == REDIS_6_2 ? RedisBinary.embedded() : NewRedis.orSkip();
    }
}
