package io.dedup.store.redis;

import io.dedup.testkit.DedupStoreContract;
import io.dedup.testkit.fixture.StoreFixture;
import io.dedup.testservers.redis.RedisBinary;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;

/** On the newest Redis that this machine has: what differs between versions is tested without a cluster, on each. */
@Order(1) // takes long
@DisplayName("Redis cluster of three masters")
class RedisClusterContractTest extends DedupStoreContract {
    private static RedisCluster servers;

    @BeforeAll
    static void start() {
        servers = RedisServers.startCluster(RedisBinary.installed().orElseGet(RedisBinary::embedded));
    }

    @AfterAll
    static void stop() {
        if (servers != null) {
            servers.close();
        }
    }

    @Override
    protected StoreFixture newFixture() {
        return new RedisFixture(() -> Stores.builder().clusterUris(uris()), () -> servers.masters());
    }

    private static List<RedisURI> uris() {
        return servers.uris().stream().map(RedisURI::create).toList();
    }
}
