package io.dedup.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dedup.DedupStoreException;
import io.dedup.testservers.redis.RedisCluster;
import io.dedup.testservers.redis.RedisServer;
import io.dedup.testservers.redis.RedisServers;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.DisplayName;

/** A ping of a cluster asks every master: any of them may hold the next claim's key. */
class ClusterPingTest {
    @OnEachVersion
    @DisplayName("S16 a cluster of which one master takes no writes fails the ping; a ping leaves no key")
    void oneMaster(RedisVersion version) {
        try (RedisCluster cluster = RedisServers.startCluster(version.binary());
                RedisDedupStore store = Stores.builder()
                        .clusterUris(
                                cluster.uris().stream().map(RedisURI::create).toList())
                        .build()) {
            for (RedisServer master : cluster.masters()) {
                master.command("CONFIG", "SET", "maxmemory", "1");
                assertThatThrownBy(store::ping)
                        .isInstanceOf(DedupStoreException.class)
                        .hasMessageContaining("OOM");
                master.command("CONFIG", "SET", "maxmemory", "0");
                store.ping();
            }

            long keys = cluster.masters().stream()
                    .mapToLong(master -> Long.parseLong(master.command("DBSIZE")))
                    .sum();
            assertThat(keys).as("the attempt retention").isEqualTo(1);
        }
    }
}
