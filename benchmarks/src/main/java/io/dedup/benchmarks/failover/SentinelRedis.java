package io.dedup.benchmarks.failover;

import io.dedup.benchmarks.subject.DedupHandling;
import io.dedup.benchmarks.subject.MessageHandling;
import io.dedup.policy.DedupMode;
import io.dedup.store.redis.RedisDedupStore;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisSentinels;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import java.util.Map;
import java.util.stream.Collectors;

/** Redis with sentinels, which notice after 3 s that the primary is gone. */
final class SentinelRedis implements FailingStore {
    private final RedisSentinels servers;
    private final String name;
    private final RedisDedupStore store;
    private final DedupHandling leased;

    SentinelRedis(RedisBinary binary) {
        servers = RedisServers.startSentinels(binary);
        name = "Redis " + binary.version() + ", sentinel";
        store = RedisDedupStore.builder()
                .uri(servers.sentinels().stream()
                        .map(sentinel -> sentinel.host() + ":" + sentinel.port())
                        .collect(Collectors.joining(",", "redis-sentinel://", "/0#" + servers.masterName())))
                .build();
        leased = DedupHandling.of(store, DedupMode.LEASED, settings -> settings);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, MessageHandling> ways() {
        return Map.of(DedupHandling.name(DedupMode.LEASED), leased);
    }

    @Override
    public void failOver() {
        RedisServer successor = servers.currentReplica();
        servers.currentMaster().kill();
        servers.awaitPromotion(successor);
    }

    @Override
    public void close() {
        leased.close();
        store.close();
        servers.close();
    }
}
