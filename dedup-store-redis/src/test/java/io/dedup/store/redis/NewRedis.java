package io.dedup.store.redis;

import static org.junit.jupiter.api.Assumptions.abort;

import io.dedup.testservers.redis.RedisBinary;

/** Redis 7 or newer, which not every machine has. */
final class NewRedis {
    private NewRedis() {}

    /** Valkey has no package for every system that Redis has one for. */
    static RedisBinary valkeyOrSkip() {
        return RedisBinary.installedValkey().orElseGet(() -> abort("no valkey-server on the PATH"));
    }

    static RedisBinary orSkip() {
        return RedisBinary.installed().orElseGet(() -> abort("no redis-server 7 or newer on the PATH"));
    }
}
