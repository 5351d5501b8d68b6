package io.dedup.store.redis;

import io.dedup.testservers.redis.RedisSentinels;
import java.util.stream.Collectors;

final class Sentinels {
    private Sentinels() {}

    static String uri(RedisSentinels servers) {
        return servers.sentinels().stream()
                .map(sentinel -> sentinel.host() + ":" + sentinel.port())
                .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + servers.masterName()));
    }
}
