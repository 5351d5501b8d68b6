package io.dedup.benchmarks.redis;

import io.dedup.benchmarks.network.Network;
import io.dedup.benchmarks.subject.ByHandHandling;
import io.dedup.benchmarks.subject.DedupHandling;
import io.dedup.benchmarks.subject.HandlingStore;
import io.dedup.benchmarks.subject.MessageHandling;
import io.dedup.policy.DedupMode;
import io.dedup.store.redis.RedisDedupStore;
import java.util.LinkedHashMap;
import java.util.Map;

/** The ways to handle messages with a Redis that {@link PrefilledRedis} has started, from some distance. */
public final class RedisHandling implements HandlingStore {
    private final String name;
    private final Network.Route route;
    private final RedisDedupStore store;
    private final DedupHandling leased;
    private final ByHandKeys byHand;

    /** Closing it leaves the server running. */
    public RedisHandling(PrefilledRedis server, Network network) {
        this.name = server.name();
        this.route = network.to(server.port());
        this.store = RedisDedupStore.builder()
                .uri("redis://127.0.0.1:" + route.port())
                .build();
        this.leased = DedupHandling.of(store, DedupMode.LEASED, settings -> settings);
        this.byHand = ByHandKeys.leased(route.port());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Map<String, MessageHandling> ways() {
        Map<String, MessageHandling> ways = new LinkedHashMap<>();
        ways.put(DedupHandling.name(DedupMode.LEASED), leased);
        ways.put(ByHandHandling.NAME, new ByHandHandling(byHand));
        return ways;
    }

    @Override
    public void close() {
        leased.close();
        byHand.close();
        store.close();
        route.close();
    }
}
